"""Uniform parcels of gas by escape probability (docs/zero_d.md), over arrays of any shape."""

from dataclasses import dataclass

import astropy.units as u
import numpy as np

from ._context import Context
from ._library import ffi, lib, new_struct
from ._values import quantity
from .errors import InputError, Interrupted
from .molecule import MoleculeData, molecule

_GEOMETRIES = {"sphere": "LR_SPHERE", "lvg": "LR_LVG", "slab": "LR_SLAB", "expansion": "LR_EXPANSION",
               "layer": "LR_LAYER"}


@dataclass(eq=False, repr=False)
class Parcels:
    """Lines of parcels of gas: the axes of the input, then one of lines (levels, for populations). Made by
    :func:`radex`.
    """

    molecule: MoleculeData
    excitation_temperature: u.Quantity
    optical_depth: np.ndarray
    radiation_temperature: u.Quantity
    flux: u.Quantity  # K km/s
    energy_flux: u.Quantity  # erg/s/cm2
    population: np.ndarray
    iterations: np.ndarray
    error: np.ndarray
    rates_clamped: np.ndarray
    inverted: np.ndarray
    maser: np.ndarray
    converged: np.ndarray

    def __repr__(self):
        n, bad = self.converged.size, int(np.count_nonzero(~np.asarray(self.converged)))
        failed = f", {bad} not converged" if bad else ""
        size = f"{n} parcels of shape {np.shape(self.converged)}, {len(self.molecule.label)} lines"
        return f"<linerad.Parcels: {self.molecule.name}, {size}{failed}>"


def _collider(name):
    found = lib.lr_collider_find(name.encode())
    if found == 0:
        raise InputError(f"density: no collider '{name}'; write H2, p-H2, o-H2, e, H, He or H+")
    return found


def radex(
    molecule_or_name,
    temperature,
    density,
    column,
    width,
    background=2.725 * u.K,
    geometry="sphere",
    rates=None,
    error=0.0,
    threads=0,
    overlap=False,
):
    """Populations and lines of uniform parcels of gas by escape probability (docs/zero_d.md). All quantities may be
    arrays, which are broadcast against each other. Returns :class:`Parcels`.

    Parameters
    ----------
    molecule_or_name : MoleculeData or str
        A molecule, or a file in LAMDA format. Required.
    temperature : temperature
        Kinetic temperature. Required.
    density : number density, or dict
        Of H2, or of several collision partners: {'p-H2': ..., 'o-H2': ...}. Required.
    column : column density
        Of the molecule. Required.
    width : velocity
        Full width of the line at half maximum. Required.
    background : temperature
        Of the blackbody behind the gas. Default: 2.725 K.
    geometry : str
        'sphere' (the default), 'lvg', 'slab', 'expansion' or 'layer'.
    rates : dict
        Use the rates of another partner: {'H': 'H2'}. Default: none.
    error : float
        Largest acceptable relative error of the populations. Default: 0, which stands for 1e-6.
    threads : int
        CPU threads. Default: 0, all.
    overlap : bool
        Lines that overlap see each other's light, and escape probabilities are averages over the line profile instead of
        those at line centre. Default: False, as in RADEX.
    """
    data = molecule_or_name if isinstance(molecule_or_name, MoleculeData) else molecule(molecule_or_name)
    if geometry not in _GEOMETRIES:
        raise InputError(f"geometry: '{geometry}' is not one of {', '.join(_GEOMETRIES)}")
    densities = density if isinstance(density, dict) else {"H2": density}
    given = {
        "temperature": quantity(temperature, "temperature", "temperature").to_value(u.K),
        "column": quantity(column, "column", "column").to_value(u.cm**-2),
        "width": quantity(width, "velocity", "width").to_value(u.cm / u.s),
        "background": quantity(background, "temperature", "background").to_value(u.K),
    }
    colliders = {
        name: quantity(value, "density", f"density {name}").to_value(u.cm**-3) for name, value in densities.items()
    }
    try:
        shape = np.broadcast_shapes(*(np.shape(value) for value in (*given.values(), *colliders.values())))
    except ValueError as failure:
        raise InputError(f"the arguments do not broadcast against each other: {failure}") from None

    def flat(value):
        return np.ascontiguousarray(np.broadcast_to(value, shape), dtype=np.float64).reshape(-1)

    n = int(np.prod(shape, dtype=np.int64))
    parcels, lines = new_struct("lr_parcels"), new_struct("lr_parcel_lines")
    keep = []

    def lend(value):
        keep.append(value)
        return ffi.cast("double *", value.__array_interface__["data"][0])

    for name, value in given.items():
        setattr(parcels, name, lend(flat(value)))
    for name, value in colliders.items():
        parcels.density[_collider(name)] = lend(flat(value))
    for name, other in (rates or {}).items():
        parcels.rates_of[_collider(name)] = _collider(other)
    parcels.n, parcels.geometry = n, getattr(lib, _GEOMETRIES[geometry])
    parcels.error, parcels.threads, parcels.overlap = error, threads, bool(overlap)
    n_line, n_level = len(data.label), len(data.level_label)
    made = {name: np.empty((n, n_line)) for name in ("excitation", "depth", "radiation", "flux_kelvin", "flux_energy")}
    made["population"], made["error"] = np.empty((n, n_level)), np.empty(n)
    for name, value in made.items():
        setattr(lines, name, lend(value))
    whole = {name: np.zeros(n, dtype=np.intc) for name in ("iterations", "flags")}
    for name, value in whole.items():
        setattr(lines, name, ffi.cast("int *", value.__array_interface__["data"][0]))
    if n > 0:
        if Context().run(lib.lr_solve_parcels, data._pointer, parcels, lines):
            raise Interrupted("stopped")
    flags = whole["flags"].reshape(shape)

    def shaped(name):
        return made[name].reshape(shape + made[name].shape[1:])

    return Parcels(
        molecule=data,
        excitation_temperature=shaped("excitation") * u.K,
        optical_depth=shaped("depth"),
        radiation_temperature=shaped("radiation") * u.K,
        flux=shaped("flux_kelvin") * (u.K * u.km / u.s),
        energy_flux=shaped("flux_energy") * (u.erg / u.s / u.cm**2),
        population=shaped("population"),
        iterations=whole["iterations"].reshape(shape),
        error=shaped("error"),
        rates_clamped=(flags & lib.LR_RATES_CLAMPED) != 0,
        inverted=(flags & lib.LR_INVERTED) != 0,
        maser=(flags & lib.LR_MASER) != 0,
        converged=(flags & lib.LR_NOT_CONVERGED) == 0,
    )
