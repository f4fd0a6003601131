"""What the fuzz targets for HDF5 files start from: hdf5_seeds.py snapshot|result FOLDER (needs h5py and numpy).

FOLDER/files gets small valid files, FOLDER/seeds one change of every object and attribute in them (hdf5_edits.h), and
FOLDER/dict their names. Results are written by the command LINERAD_BIN, with the models in result_models.
"""

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import athdf_file  # noqa: E402


def linerad(path, kind, mesh, shape):
    with h5py.File(path, "w", libver="earliest") as file:
        file.attrs["format"] = np.bytes_("linerad-model")
        file.attrs["version"] = 1
        group = file.create_group("mesh")
        group.attrs["kind"] = np.bytes_(kind)
        group.attrs["faces"] = np.bytes_("open" if kind == "shells" else "periodic open open")
        for name, values in mesh.items():
            group[name] = values
            if name not in ("cells", "root", "brick", "level", "position"):
                group[name].attrs["units"] = np.bytes_("pc")
        for name, units in (("n_H2", "cm-3"), ("temperature", "K")):
            file[f"fields/{name}"] = np.arange(1, 1 + np.prod(shape), dtype="f4").reshape(shape)
            file[f"fields/{name}"].attrs["units"] = np.bytes_(units)


def snapshots(folder):
    box = {"lower": np.zeros(3), "upper": np.ones(3)}
    linerad(folder / "uniform.h5", "uniform", {**box, "cells": [2, 3, 2]}, (2, 3, 2))
    edges = {axis: np.array([0.0, 1.0, 3.0]) for axis in "xyz"}
    linerad(folder / "rectilinear.h5", "rectilinear", edges, (2, 2, 2))
    linerad(folder / "shells.h5", "shells", {"r": np.array([0.0, 1.0, 3.0])}, (2,))
    position = [[b & 1, b >> 1 & 1, b >> 2] for b in range(8)] + [[1, 0, 0]]
    bricks = {"root": [2, 1, 1], "brick": [1, 2, 1], "level": [1] * 8 + [0], "position": position}
    linerad(folder / "amr.h5", "amr", {**box, **bricks}, (9, 1, 2, 1))
    functions = {name: lambda x, y, z: 1 + x + y + z for name in ("rho", "press", "vel1", "vel2", "vel3", "r0")}
    athdf_file.write(folder / "prim.athdf", functions, (2, 1, 1), (2, 2, 2), (2.0, 1.0, 1.0))
    athdf_file.write(folder / "refined.athdf", functions, (2, 1, 1), (2, 2, 2), (2.0, 1.0, 1.0), refine={(1, 0, 0)})
    functions = {name: lambda x, y, z: 1 + x + y + z for name in ("dens", "Etot", "mom1", "mom2", "mom3", "s0")}
    athdf_file.write(folder / "cons.athdf", functions, (1, 1, 1), (2, 2, 2), (1.0, 1.0, 1.0))



def results(folder):
    for model in sorted((Path(__file__).parent / "result_models").glob("*.yaml")):
        output = folder / model.with_suffix(".h5").name
        command = [os.environ["LINERAD_BIN"], "run", model, "--quiet", "--device", "cpu", "-o", output]
        subprocess.run(command, check=True)
    for other in folder.iterdir():
        if other.suffix != ".h5":
            other.unlink()


def changes(name, item):
    """One line for every kind of change."""
    if name != "/":
        yield f"drop {name}"
    for attribute in item.attrs:
        if attribute in ("units", "description") or attribute.endswith("_units"):
            continue
        yield f"unset {name} {attribute}"
        yield f"number {name} {attribute} nan"
        yield f"integer {name} {attribute} -1"
    if isinstance(item, h5py.Dataset):
        yield f"value {name} 0 nan"
        yield f"value {name} 1 -1"
        yield f"shape {name} f 0"
        yield f"shape {name} d {' '.join(str(n) for n in (1000000000, *item.shape[1:]))}"



def describe(folder):
    words, n = set(), 0
    (folder / "seeds").mkdir(exist_ok=True)
    for i, path in enumerate(sorted((folder / "files").iterdir())):
        items = {}
        with h5py.File(path) as file:
            items["/"] = file
            file.visititems(lambda name, item: items.__setitem__("/" + name, item))
            for name, item in items.items():
                words |= {name, *item.attrs}
                for change in changes(name, item):
                    (folder / "seeds" / f"{n}.txt").write_text(f"{i}\n{change}\n")
                    n += 1
    words |= {"drop", "unset", "number", "integer", "text", "value", "shape", "nan", "inf", "1e300"}
    (folder / "dict").write_text("".join(f'"{word}"\n' for word in sorted(words)))
    print(f"{n} seeds")


def main(kind, folder):
    (folder / "files").mkdir(parents=True, exist_ok=True)
    {"snapshot": snapshots, "result": results}[kind](folder / "files")
    describe(folder)


main(sys.argv[1], Path(sys.argv[2]))
