"""Writes small .athdf files as Athena++ does: big-endian, fixed-length names, [variable, block, k, j, i]."""

import h5py
import numpy as np

PRIMITIVE = ["rho", "press", "vel1", "vel2", "vel3"]


def blocks_of(root, refine=()):
    """(level, location) of all blocks, given their number on level 0 and which of these are divided."""
    blocks = []
    for k in range(root[2]):
        for j in range(root[1]):
            for i in range(root[0]):
                if (i, j, k) in refine:
                    blocks += [(1, (2 * i + a, 2 * j + b, 2 * k + c)) for c in (0, 1) for b in (0, 1) for a in (0, 1)]
                else:
                    blocks.append((0, (i, j, k)))
    return blocks


def write(path, functions, root, block, upper, refine=(), kind=">f4"):
    """`functions` of x, y, z by variable name; the box extends from 0 to `upper`."""
    blocks = blocks_of(root, refine)
    size = [r * b for r, b in zip(root, block)]
    data = np.empty((len(functions), len(blocks), block[2], block[1], block[0]), kind)
    edges = [np.empty((len(blocks), n + 1), kind) for n in block]
    for number, (level, location) in enumerate(blocks):
        faces = [
            (np.arange(block[d] + 1) + location[d] * block[d]) / (size[d] * 2**level) * upper[d] for d in range(3)
        ]
        x, y, z = ((f[1:] + f[:-1]) / 2 for f in faces)
        z, y, x = np.meshgrid(z, y, x, indexing="ij")
        for d in range(3):
            edges[d][number] = faces[d]
        for v, function in enumerate(functions.values()):
            data[v, number] = function(x, y, z)
    with h5py.File(path, "w") as file:
        file.attrs["NumCycles"] = np.int32(7)
        file.attrs["Time"] = np.array(0.5, kind)
        file.attrs["Coordinates"] = np.bytes_("cartesian")
        for d in range(3):
            file.attrs[f"RootGridX{d + 1}"] = np.array([0, upper[d], 1], ">f8")
        file.attrs["RootGridSize"] = np.array(size, ">i4")
        file.attrs["NumMeshBlocks"] = np.int32(len(blocks))
        file.attrs["MeshBlockSize"] = np.array(block, ">i4")
        file.attrs["MaxLevel"] = np.int32(max(level for level, _ in blocks))
        file.attrs["NumVariables"] = np.array([len(functions)], ">i4")
        file.attrs["DatasetNames"] = np.array([b"prim"], "S21")
        file.attrs["VariableNames"] = np.array([name.encode() for name in functions], "S21")
        file["Levels"] = np.array([level for level, _ in blocks], ">i4")
        file["LogicalLocations"] = np.array([location for _, location in blocks], ">i8")
        for d in range(3):
            file[f"x{d + 1}f"] = edges[d]
            file[f"x{d + 1}v"] = ((edges[d][:, 1:] + edges[d][:, :-1]) / 2).astype(kind)
        file["prim"] = data
