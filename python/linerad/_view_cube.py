"""What a page shows of a cube: numbers [channel, y, x] in a readable unit, velocities in km/s (radio convention,
increasing) and the axes of the sky, all from a FITS header. Cubes of results have the header of their FITS files."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import _view_fits
from ._names import frequency_name, transition_name
from .cube import Cube
from .errors import FileError, InputError
from .result import Result

_PREFIXES = {-4: "p", -3: "n", -2: "\N{MICRO SIGN}", -1: "m", 0: "", 1: "k", 2: "M", 3: "G"}
_TEN = re.compile(r"(?:10(?:\*\*|\^)\(?|1[eE])([-+]?\d+)\)?[\s*.]*")  # that a unit begins with: 10**(-20)*erg/s
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass
class Shown:
    values: np.ndarray
    errors: np.ndarray | None
    unit: str
    velocity: np.ndarray  # km/s, of the channel centres
    edges: np.ndarray  # km/s, of the channels
    sky: dict
    title: str
    name: str  # in the list of cubes
    notes: list = field(default_factory=list)
    systemic: float | None = None

    def description(self):
        return {
            "shape": list(self.values.shape), "unit": self.unit, "velocity": self.velocity.tolist(),
            "width": np.diff(self.edges).tolist(), "edges": self.edges.tolist(), "title": self.title, "name": self.name,
            "notes": self.notes, "systemic": self.systemic, "distance": None, **self.sky,
        }  # fmt: skip


def shown(source, camera=None):
    """The cubes of a file, result or cube."""
    if isinstance(source, Cube):
        return [_of_cube(source)]
    if isinstance(source, Result):
        return _of_result(source, camera, "")
    path = os.fspath(source)
    try:
        with open(path, "rb") as file:
            start = file.read(9)
    except OSError as failure:
        raise FileError(f"{path}: {failure.strerror}") from None
    if start.startswith(b"SIMPLE  =") or path.lower().endswith((".fits", ".fit", ".fits.gz")):
        if camera is not None:
            raise InputError(f"{path}: --camera is for results; a FITS file has one cube")
        return [_of_fits(path)]
    try:
        return _of_result(Result.load(path), camera, Path(path).stem)
    except KeyError as failure:
        raise InputError(f"{path}: {failure.args[0]}") from None


def _of_result(result, camera, stem):
    cameras = [camera] if camera is not None else (result.cameras or [None])
    return [_of_cube(result.cube(name), stem) for name in cameras]


def _of_cube(cube, stem=""):
    line = transition_name(cube._text)
    title = " · ".join(
        word for word in (line, frequency_name(cube.rest_frequency.value), f"camera {cube.camera}") if word
    )
    made = _make(cube.data.value, None if cube.error is None else cube.error.value, cube.header, title)
    made.name = " · ".join(word for word in (stem, line, cube.camera) if word)
    made.systemic = None if cube.systemic_velocity is None else float(cube.systemic_velocity.value)
    if cube.distance is not None:
        made.sky["distance"] = float(cube.distance.to_value("pc"))
    return made


def _of_fits(path):
    values, errors, header = _view_fits.read(path)
    try:
        made = _make(values, errors, header, Path(path).name)
    except InputError as failure:
        raise InputError(f"{path}: {failure}") from None
    rest = _view_fits.Axes(header).rest_frequency()
    words = [Path(path).name, str(header.get("LINE", "")).strip(), frequency_name(rest) if rest else ""]
    made.title = " · ".join(word for word in words if word)
    history = [str(text) for text in header.get("HISTORY", [])]
    made.notes += [text for text in history if text.startswith(("camera", "line", "background"))]
    return made


def _make(values, errors, header, title):
    axes = _view_fits.Axes(header)
    velocity, edges = axes.velocities(np.arange(len(values))), axes.velocities(np.arange(len(values) + 1) - 0.5)
    if edges[0] > edges[-1]:
        velocity, edges, values = velocity[::-1], edges[::-1], values[::-1]
        errors = None if errors is None else errors[::-1]
    values, errors = _finite(values), None if errors is None else _finite(errors)
    factor, unit = _readable(_usual(np.abs(values[np.isfinite(values)])), str(header.get("BUNIT", "")).strip())
    errors = None if errors is None else errors * factor
    sky = axes.sky(header, values.shape[2], values.shape[1])
    return Shown(values * factor, errors, unit, velocity, edges, sky, title, title)


def _finite(values):
    """As doubles; infinite values, such as those of a division by zero, are missing."""
    values = np.asarray(values, dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def _usual(sizes):
    """The largest, unless a few (a star) are far above all others: as in viewer/data.js."""
    most = float(sizes.max(initial=0.0))
    lit = sizes[sizes > 1e-6 * most]
    usual = float(np.percentile(lit, 99.5)) if lit.size >= 100 else most
    return usual if most > 50 * usual else most


def _readable(largest, unit):
    """(factor, unit) that bring the largest value to between 1 and 1000: mK for K, 10⁻¹⁵ times others."""
    ten = _TEN.match(unit)
    own, unit = (int(ten[1]), unit[ten.end() :]) if ten else (0, unit)
    text = re.sub(r"(?<=[A-Za-z])-?\d+", lambda power: power.group().translate(_RAISED), unit.replace("**", ""))
    power = int(np.floor(np.log10(largest * 1.0001) / 3)) if largest > 0 else 0
    power = max(-100, power)  # 1e-300: the least that has an inverse
    factor, exponent = 1000.0**-power, own + 3 * power
    if exponent == 0:
        return factor, text
    if re.match(r"(K|Jy)\b", unit) and exponent % 3 == 0 and exponent // 3 in _PREFIXES:
        return factor, _PREFIXES[exponent // 3] + text
    return factor, f"10{str(exponent).translate(_RAISED)} {text}".strip()
