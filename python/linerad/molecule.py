"""Line data: levels and lines of molecules, atoms and ions."""

from collections import namedtuple
from dataclasses import dataclass, field

import astropy.units as u
import numpy as np

from . import _values
from ._context import Context
from ._library import ffi, lib, new_struct, take_text, text
from .errors import InputError


Partner = namedtuple("Partner", "name reference transitions temperatures coldest hottest")
Partner.__doc__ = "A table of collision rates: number of transitions and temperatures, and the temperature range."


@dataclass(eq=False, repr=False)
class MoleculeData:
    """Levels and lines of a molecule, in the order of the file. Made by :func:`molecule`.

    ``lower`` and ``upper`` are level indices from 0. ``partners`` are the partners with collision rates, by name.
    """

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
    partners: dict
    _pointer: object = field(repr=False)

    def __repr__(self):
        rates = ", ".join(self.partners) or "none"
        ends = f"{self.label[0]} ... {self.label[-1]}" if self.label else ""
        size = f"{len(self.level_label)} levels, {len(self.label)} lines {ends}"
        return f"<linerad.MoleculeData: {self.name}, {size}, collision rates with {rates}>"

    def line(self, label):
        """The index of a line.

        Parameters
        ----------
        label : str or int
            Its label ('1-0'), or its number from 0. Required.
        """
        if isinstance(label, (int, np.integer)):
            return range(len(self.label))[label]
        wanted = "".join(str(label).split())
        if wanted not in self.label:
            raise KeyError(f"{self.name} has no line '{label}'; it has {', '.join(self.label[:8])} ...")
        return self.label.index(wanted)

    def critical_density(self, temperature, partner=None):
        """A_ul over the rates of all downward collisions from the upper level, for each line (last axis); infinite
        without such collisions.

        Parameters
        ----------
        temperature : temperature
            One value or an array. Required.
        partner : str
            Collision partner. Default: all, as a dictionary.
        """
        if partner is None:
            return {name: self.critical_density(temperature, name) for name in self.partners}
        if partner not in self.partners:
            known = ", ".join(self.partners) or "none"
            raise KeyError(f"{self.name} has no collision rates with '{partner}'; it has them with {known}")
        kelvin = _values.quantity(temperature, "temperature", "temperature").to_value(u.K)
        if not np.all(np.isfinite(kelvin) & (np.asarray(kelvin) > 0)):
            raise InputError("temperature: critical densities need temperatures above zero")
        index, n_line = list(self.partners).index(partner), len(self.label)
        density = lib.lr_molecule_critical_density
        found = [[density(self._pointer, line, index, t) for line in range(n_line)] for t in np.ravel(kelvin)]
        return np.reshape(found, (*np.shape(kelvin), n_line)) / u.cm**3

    def report(self, temperature=None):
        """Levels, lines with critical densities, and collision partners, as text.

        Parameters
        ----------
        temperature : temperature
            For the critical densities. Default: 20 K.
        """
        kelvin = 20.0 if temperature is None else u.Quantity(temperature).to_value(u.K)
        found = ffi.new("char **")
        Context().call(lib.lr_molecule_report, self._pointer, kelvin, found)
        return take_text(found[0])


def molecule(name_or_file):
    """Line data of a molecule, as :class:`MoleculeData`.

    Parameters
    ----------
    name_or_file : str
        A built-in molecule (:func:`molecules` lists them), or a file in LAMDA format. Required.
    """
    made = ffi.new("lr_molecule **")
    Context().call(lib.lr_molecule_load, str(name_or_file).encode(), made)
    pointer = ffi.gc(made[0], lib.lr_molecule_free)
    n_level, n_line = ffi.new("int *"), ffi.new("int *")
    lib.lr_molecule_size(pointer, n_level, n_line)
    levels = _structs("lr_level", lib.lr_molecule_level, pointer, n_level[0])
    lines = _structs("lr_line", lib.lr_molecule_line, pointer, n_line[0])
    n_partner = lib.lr_molecule_partner_count(pointer)
    partners = [_partner(found) for found in _structs("lr_partner", lib.lr_molecule_partner, pointer, n_partner)]
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
        partners={partner.name: partner for partner in partners},
        _pointer=pointer,
    )


def _structs(name, function, pointer, n):
    found = [new_struct(name) for _ in range(n)]
    for index, struct in enumerate(found):
        function(pointer, index, struct)
    return found


def _partner(found):
    name, reference = text(found.name), text(found.reference)
    return Partner(name, reference, found.n_transition, found.n_temperature, found.coldest * u.K, found.hottest * u.K)


def molecules():
    """The built-in molecules: {name: what it is}."""
    found = ffi.new("char **")
    Context().call(lib.lr_molecule_names, found)
    pairs = (line.split(None, 1) for line in take_text(found[0]).splitlines() if line.strip())
    return {pair[0]: pair[1].strip() if len(pair) > 1 else "" for pair in pairs}
