"""Writes small valid snapshots for fuzz_snapshot.c to start from: snapshot_seeds.py FOLDER (needs h5py and numpy)."""

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


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
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


main(Path(sys.argv[1]))
