"""Packs cubes for a page. Every channel is stored as whole numbers q of 8 to 24 bits, value = low + step (q - 1), first
the low bytes of all numbers, then the higher ones (they compress better that way), deflated, in base64. q = 0 marks
missing values.

Small pages have 24 bits, as many as single precision. Others have as many, up to 16, as fit into LIMIT with all cubes of
the page; with 8, the least, a page of very large cubes is longer.
"""

import base64
import zlib

import numpy as np

from .errors import InputError

LIMIT = 14_700_000  # characters of packed numbers: with the rest of the page less than 15 MB
SMALL = 5_000_000  # a page that opens at once
MOST = 1 << 26  # numbers in a page; a browser holds them as 32-bit


def _quantise(values, bits):
    """(q, low, step) per channel."""
    top = (1 << bits) - 2
    planes = values.reshape(len(values), -1)
    known = np.isfinite(planes)
    low = np.where(known, planes, np.inf).min(axis=1)
    high = np.where(known, planes, -np.inf).max(axis=1)
    low, high = (np.where(np.isfinite(end), end, 0.0) for end in (low, high))
    step = (high - low) / top
    step = np.where(step > np.finfo(float).tiny, step, 0.0)  # below it, steps would not be equal
    q = np.empty(planes.shape, dtype="<u4")
    for k, plane in enumerate(planes):
        q[k] = np.where(known[k], np.rint((np.where(known[k], plane, low[k]) - low[k]) / (step[k] or 1.0)) + 1, 0)
    return q, low, step


def _deflate(q, bits):
    raw = q.reshape(-1).view(np.uint8).reshape(-1, 4)[:, : -(-bits // 8)]
    packed = zlib.compress(np.ascontiguousarray(raw.T).tobytes(), 6)
    return base64.b64encode(packed).decode("ascii")


def _layer(values, bits):
    """A cube of numbers: (its description, the packed text)."""
    q, low, step = _quantise(values, bits)
    rounding = 1.2e-7 * max(np.nanmax(np.abs(values), initial=0.0), 0.0) if np.isfinite(values).any() else 0.0
    told = {"bits": bits, "low": low.tolist(), "step": step.tolist(), "accuracy": float(0.5 * step.max() + rounding)}
    return told, _deflate(q, bits)


def pack(cubes):
    """(descriptions, packed texts) of the cubes of a page."""
    layers = [(k, name, getattr(cube, name)) for k, cube in enumerate(cubes) for name in ("values", "errors")]
    layers = [layer for layer in layers if layer[2] is not None]
    total = sum(values.size for _, _, values in layers)
    if total > MOST:
        raise InputError(f"a page holds up to {MOST / 1e6:.0f} million numbers, and these are {total / 1e6:.0f} million; "
                         "choose one camera, or make fewer pixels or channels with 'linerad image'")  # fmt: skip
    for bits in _bits_to_try([values for _, _, values in layers], total):
        packed = [_layer(values, bits) for _, _, values in layers]
        if sum(len(text) for _, text in packed) <= LIMIT:
            break
    described = [cube.description() for cube in cubes]
    for block, ((k, name, _), (told, _)) in enumerate(zip(layers, packed)):
        described[k][name] = {**told, "block": block}
    return described, [text for _, text in packed]


def _bits_to_try(cubes, total):
    """Numbers that cannot be compressed take whole bytes, and base64 a third more. Otherwise some channels tell with how
    many bits it is worth to begin."""
    if total * 3 * 4 / 3 <= SMALL:
        return [24]
    if total * 2 * 4 / 3 <= LIMIT:
        return [16]
    tries, some = [16, 14, 12, 11, 10, 9, 8], [values[::16] for values in cubes]
    share = sum(values.size for values in some) / total
    while len(tries) > 1 and sum(len(_layer(values, tries[0])[1]) for values in some) > 1.02 * share * LIMIT:
        tries.pop(0)
    return tries
