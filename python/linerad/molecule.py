"""Line data: levels and lines of molecules, atoms and ions."""

from dataclasses import dataclass, field

import astropy.units as u
import numpy as np

from ._context import Context
from ._library import ffi, lib, take_text, text


@dataclass(eq=False)
class MoleculeData:
    """Levels and lines, in the order of the file. `lower` and `upper` count levels from 0."""

    name: str
    mass: u.Quantity
    level_label: list
    level_energy: u.Quantity
    level_weight: np.ndarray
    label: list
    frequency: u.Quantity
    einstein_a: u.Quantity
    upper: np.ndarray
    lower: np.ndarray
    upper_energy: u.Quantity
    _pointer: object = field(repr=False)

    def line(self, label):
        """The index of a line by its label ('1-0') or its number from 0."""
        if isinstance(label, (int, np.integer)):
            return range(len(self.label))[label]
        wanted = "".join(str(label).split())
        if wanted not in self.label:
            raise KeyError(f"{self.name} has no line '{label}'; it has {', '.join(self.label[:8])} ...")
        return self.label.index(wanted)

    def report(self, temperature=None):
        """Levels, lines with critical densities at a temperature, and collision partners, as text."""
        kelvin = 20.0 if temperature is None else u.Quantity(temperature).to_value(u.K)
        found = ffi.new("char **")
        Context().call(lib.lr_molecule_report, self._pointer, kelvin, found)
        return take_text(found[0])


def molecule(name_or_file):
    """A built-in molecule by its name (linerad.molecules() lists them), or a file of the LAMDA format."""
    made = ffi.new("lr_molecule **")
    Context().call(lib.lr_molecule_load, str(name_or_file).encode(), made)
    pointer = ffi.gc(made[0], lib.lr_molecule_free)
    n_level, n_line = ffi.new("int *"), ffi.new("int *")
    lib.lr_molecule_size(pointer, n_level, n_line)
    levels = [lib.lr_molecule_level(pointer, i) for i in range(n_level[0])]
    lines = [lib.lr_molecule_line(pointer, i) for i in range(n_line[0])]
    labels = [f"{text(line.upper_label)}-{text(line.lower_label)}".replace(" ", "") for line in lines]
    return MoleculeData(
        name=text(lib.lr_molecule_name(pointer)),
        mass=lib.lr_molecule_mass(pointer) * u.g,
        level_label=[text(level.label) for level in levels],
        level_energy=np.array([level.energy for level in levels]) * u.K,
        level_weight=np.array([level.weight for level in levels]),
        label=labels,
        frequency=np.array([line.frequency for line in lines]) * u.Hz,
        einstein_a=np.array([line.a_ul for line in lines]) / u.s,
        upper=np.array([line.upper for line in lines], dtype=int),
        lower=np.array([line.lower for line in lines], dtype=int),
        upper_energy=np.array([line.upper_energy for line in lines]) * u.K,
        _pointer=pointer,
    )


def molecules():
    """The built-in molecules: {name: what it is}."""
    found = ffi.new("char **")
    Context().call(lib.lr_molecule_names, found)
    pairs = (line.split(None, 1) for line in take_text(found[0]).splitlines() if line.strip())
    return {pair[0]: pair[1].strip() if len(pair) > 1 else "" for pair in pairs}
