"""Values with units, as written in a model file. A wrong dimension is an error here, with the name of the argument;
everything else is checked by the library."""

import json
import numbers
import re

import astropy.units as u
import numpy as np

from .errors import InputError, UnitsError

ESU_DIPOLE = u.cm**2.5 * u.g**0.5 / u.s  # 1e18 debye

# What an argument may measure: words for messages, an example, and the units it must be convertible to (any one).
DIMENSIONS = {
    "number": ("a plain number", "1", [u.dimensionless_unscaled]),
    "length": ("a length", "pc", [u.cm]),
    "velocity": ("a velocity", "km/s", [u.cm / u.s]),
    "temperature": ("a temperature", "K", [u.K]),
    "density": ("a number density", "1/cm3", [u.cm**-3]),
    "column": ("a column density", "1/cm2", [u.cm**-2]),
    "inverse length": ("an opacity", "1/pc", [u.cm**-1]),
    "frequency": ("a frequency", "GHz", [u.Hz]),
    "rate": ("a rate", "1/s", [u.Hz]),
    "mass": ("a mass", "u", [u.g]),
    "mass density": ("a mass density", "g/cm3", [u.g / u.cm**3]),
    "angle": ("an angle", "deg", [u.rad]),
    "dipole": ("a dipole moment", "C m", [u.C * u.m, ESU_DIPOLE]),
    "luminosity": ("a photon rate or a power", "photon/s or Lsun", [u.Hz, u.ph / u.s, u.erg / u.s]),
    "flux": (
        "a photon or energy flux",
        "photon/(s cm2)",
        [u.Hz / u.cm**2, u.ph / u.s / u.cm**2, u.erg / u.s / u.cm**2],
    ),
    "intensity": (
        "a photon or energy intensity",
        "photon/(s cm2 sr)",
        [u.Hz / u.cm**2 / u.sr, u.ph / u.s / u.cm**2 / u.sr, u.erg / u.s / u.cm**2 / u.sr],
    ),
    "shift": (
        "a frequency, a radio velocity or a plain number of Doppler units",
        "km/s",
        [u.Hz, u.cm / u.s, u.dimensionless_unscaled],
    ),
    "any": ("a value", "1", None),
}

# Units that the library knows by these names; others are converted to the CGS unit.
_NAMES = {
    "cm": "cm", "m": "m", "km": "km", "mm": "mm", "um": "um", "micron": "um", "nm": "nm", "Angstrom": "AA", "AA": "AA",
    "pc": "pc", "kpc": "kpc", "Mpc": "Mpc", "AU": "AU", "au": "AU", "solRad": "Rsun", "solMass": "Msun",
    "solLum": "Lsun", "K": "K", "s": "s", "Hz": "Hz", "kHz": "kHz", "MHz": "MHz", "GHz": "GHz", "THz": "THz", "g": "g",
    "kg": "kg", "u": "u", "erg": "erg", "J": "J", "W": "W", "deg": "deg", "arcmin": "arcmin", "arcsec": "arcsec",
    "mas": "mas", "rad": "rad", "sr": "sr", "ph": "photon", "debye": "debye", "D": "debye", "C": "C",
}  # fmt: skip


def _known_text(unit):
    """'km s-1', or None if part of the unit has another name in the library."""
    parts = []
    for base, power in zip(unit.bases, unit.powers):
        name = _NAMES.get(base.name)
        if name is None or float(power) != int(power):
            return None
        parts.append(name if power == 1 else f"{name}{int(power)}")
    return " ".join(parts) if unit.scale == 1 else None


def split_unit(unit, dimension, argument):
    """(factor, text): the unit as a model file writes it, '' for plain numbers, and how many of those it is."""
    known = _known_text(unit)
    if known is not None:
        return 1.0, known
    targets = [target for target in DIMENSIONS[dimension][2] or [] if unit.is_equivalent(target)]
    cgs = unit.decompose(bases=u.cgs.bases)
    target = targets[0] if targets else u.CompositeUnit(1, cgs.bases, cgs.powers)
    text = "statC cm" if target is ESU_DIPOLE else _known_text(target)
    if text is None:
        raise UnitsError(f"{argument}: the unit '{unit}' cannot be written in a model")
    return float(unit.to(target)), text


def from_unyt(value):
    """unyt arrays, as returned by yt, as quantities without a copy; anything else unchanged."""
    if not hasattr(value, "to_astropy"):
        return value
    unit = _unit_of_unyt(value)
    if unit is None:  # code units, and some others, are known only to yt
        value = value.in_cgs()
        unit = _unit_of_unyt(value)
    if unit is None:
        raise UnitsError(f"astropy does not know the unit '{value.units}'")
    return u.Quantity(value.view(np.ndarray), unit, dtype=value.dtype, copy=False)


def _unit_of_unyt(value):
    text = str(value.units)
    try:
        return u.dimensionless_unscaled if text == "dimensionless" else u.Unit(text)
    except ValueError:
        return None


def quantity(value, dimension, argument):
    """A Quantity of this dimension, or an exception that names the argument. Strings such as '10 K' are parsed."""
    noun, example, units = DIMENSIONS[dimension]
    value = from_unyt(value)
    typed = value if isinstance(value, str) else None
    if typed:
        try:
            value = u.Quantity(value.replace("^", "**"))
        except (TypeError, ValueError):
            raise UnitsError(f"{argument}: '{value}' is not {noun}; write for example '1 {example}'") from None
    if isinstance(value, bool) or not isinstance(value, (numbers.Number, np.ndarray, list, tuple, u.Quantity)):
        raise InputError(f"{argument}: expected {noun}, found {type(value).__name__}")
    plain = not isinstance(value, u.Quantity)
    found = _plain(value, argument) if plain else value
    if found.dtype.kind not in "fiu":
        raise InputError(f"{argument}: expected numbers, found {found.dtype}")
    if units is None:
        return found
    if plain and u.dimensionless_unscaled not in units:
        raise UnitsError(f"{argument}: has no unit; {noun} needs one, such as {example}")
    if typed and found.unit == u.dimensionless_unscaled and u.dimensionless_unscaled not in units:
        raise UnitsError(f"{argument}: '{typed}' has no unit; write for example '{typed} {example}'")
    if not any(found.unit.is_equivalent(unit) for unit in units):
        wanted = "" if dimension == "number" else f"; expected a unit such as {example}"
        raise UnitsError(f"{argument}: '{found.unit}' is not {noun}{wanted}")
    if dimension in ("number", "shift") and found.unit.is_equivalent(u.dimensionless_unscaled):
        return found if found.unit == u.dimensionless_unscaled else found.to(u.dimensionless_unscaled)
    return found


def _plain(value, argument):
    try:
        array = np.asarray(value)
        if array.dtype.kind == "b":
            array = array.astype(np.uint8)
        if array.dtype.kind not in "fiu":
            raise TypeError
        return u.Quantity(array, dtype=array.dtype, copy=False)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: expected numbers") from None


def scalar(value, dimension, argument):
    """'10 pc', or a plain number."""
    found = quantity(value, dimension, argument)
    if found.ndim != 0:
        raise InputError(f"{argument}: expected one value, found an array of shape {found.shape}")
    factor, text = split_unit(found.unit, dimension, argument)
    number = float(found.value) * factor
    return f"{number!r} {text}" if text else number


# ---- rules: (value, argument, arrays) to a node of the model; `arrays` collects what stays in memory ----


def plain(value, argument, arrays):
    """Words, booleans, integers, and dictionaries of them; quantities inside are written out."""
    value = from_unyt(value)
    if isinstance(value, u.Quantity) and value.ndim == 0:
        return scalar(value, "any", argument)
    if isinstance(value, u.Quantity):
        return [scalar(item, "any", f"{argument}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, dict):
        return {str(key): plain(item, f"{argument}.{key}", arrays) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item, f"{argument}[{i}]", arrays) for i, item in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise InputError(f"{argument}: {type(value).__name__} is not allowed in a model")


def direction(value, argument, arrays):
    """'+x', '-x', '+y' ... or three numbers."""
    written = plain(value, argument, arrays)
    word = isinstance(written, str) and re.fullmatch(r"[+-][xyz]", written)
    if not word and not (isinstance(written, list) and len(written) == 3):
        raise InputError(f"{argument}: '{value}' is not a direction; write '+x', '-x', '+y' ... or three numbers")
    return written


def one(dimension):
    return lambda value, argument, arrays: scalar(value, dimension, argument)


def several(dimension, n=None, or_one=False):
    """A list of n values, or (or_one) a single one."""

    def write(value, argument, arrays):
        if isinstance(value, (list, tuple)) or isinstance(value, np.ndarray) and value.ndim == 1:
            if n is not None and len(value) != n:
                raise InputError(f"{argument}: expected {n} values, found {len(value)}")
            return [scalar(item, dimension, f"{argument}[{i}]") for i, item in enumerate(value)]
        if or_one:
            return scalar(value, dimension, argument)
        raise InputError(f"{argument}: expected a list of {'' if n is None else f'{n} '}values, found {value!r}")

    return write


def array(dimension):
    """Values that stay in memory: {array: NAME}."""

    def write(value, argument, arrays):
        found = quantity(value, dimension, argument)
        factor, text = split_unit(found.unit, dimension, argument)
        if dimension == "any":
            units = None
        else:
            units = f"({factor!r} {text})" if factor != 1 else text or "1"
        arrays[argument] = (found.value, units)
        return {"array": argument}

    return write


def whole_array(value, argument, arrays):
    found = np.asarray(value)
    if found.dtype.kind not in "iu":
        raise InputError(f"{argument}: expected whole numbers, found {found.dtype}")
    arrays[argument] = (found, None)
    return {"array": argument}


def field(dimension):
    """One value, an array with the shape of the mesh, or a dictionary as in a model file."""
    stored = array(dimension)

    def write(value, argument, arrays):
        if isinstance(value, dict):
            return plain(value, argument, arrays)
        found = quantity(value, dimension, argument)
        return scalar(found, dimension, argument) if found.ndim == 0 else stored(found, argument, arrays)

    return write


def vector_field(dimension):
    """Three fields, or one array with a first axis of three; on shells one field."""
    component = field(dimension)

    def write(value, argument, arrays):
        value = from_unyt(value)
        is_list = isinstance(value, (list, tuple)) or isinstance(value, u.Quantity) and value.shape == (3,)
        if is_list and len(value) == 3:
            return [component(item, f"{argument}[{i}]", arrays) for i, item in enumerate(value)]
        return component(value, argument, arrays)

    return write


# ---- YAML ----


def yaml_text(node, indent=0):
    """Dictionaries in block style, everything inside lists as JSON, which is also YAML."""
    lines = []
    for key, value in node.items():
        if isinstance(value, dict) and value and indent < 2:
            lines += [f"{'  ' * indent}{key}:", yaml_text(value, indent + 1).rstrip("\n")]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            lines += [f"{'  ' * indent}{key}:", *(f"{'  ' * indent}  - {_inline(item)}" for item in value)]
        else:
            lines.append(f"{'  ' * indent}{key}: {_inline(value)}")
    return "\n".join(lines) + "\n"


def _inline(value):
    return json.dumps(value, ensure_ascii=False)
