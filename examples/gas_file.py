"""Writes the gas of core.py, halo.py and wind.py: a file as docs/model_format.md describes it."""

import h5py


def write(path, size, unit, fields):
    """A cube of equal cells around the origin, `size` across in `unit`; fields are {name: (array, units)}."""
    with h5py.File(path, "w") as file:
        file.attrs["format"], file.attrs["version"] = "linerad-model", 1
        mesh = file.create_group("mesh")
        mesh.attrs["kind"] = "uniform"
        mesh["cells"] = next(iter(fields.values()))[0].shape
        for name, corner in ("lower", -size / 2), ("upper", size / 2):
            mesh[name] = [corner] * 3
            mesh[name].attrs["units"] = unit
        for name, (values, units) in fields.items():
            file[f"fields/{name}"] = values.astype("f4")
            file[f"fields/{name}"].attrs["units"] = units
