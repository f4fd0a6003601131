"""FITS without astropy, for machines that only have numpy."""

import numpy as np


def read_fits(path):
    """The primary array of a FITS file, as double."""
    data = path.read_bytes()
    header, at = {}, 0
    while "END" not in header:
        card = data[at:at + 80].decode("ascii")
        header[card[:8].strip()] = card[10:].split("/")[0].strip()
        at += 80
    start = -(-at // 2880) * 2880
    shape = [int(header[f"NAXIS{k}"]) for k in range(int(header["NAXIS"]), 0, -1)]
    kind = {"-32": ">f4", "-64": ">f8"}[header["BITPIX"]]
    return np.frombuffer(data, kind, int(np.prod(shape)), start).reshape(shape).astype(float)
