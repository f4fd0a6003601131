"""Common style of all figures: journal sizes, fonts, colours, and labels with readable units."""

import functools
import io
import os
from pathlib import Path

import astropy.units as u
import matplotlib
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patheffects import withStroke

from .._names import frequency_name, transition_name
from ..cube import Cube
from ..errors import InputError, not_written
from ..result import Result

COLUMN, PAGE = 3.5, 7.1  # inches: one column of a journal, and both
BRIGHTNESS, WIDTHS, SIGNED = "inferno", "viridis", "RdBu_r"  # colour maps; red recedes, blue approaches
RECEDING, APPROACHING = "Reds", "Blues_r"  # where all of it does
INK, ACCENT, BAND = "#0072b2", "#d55e00", "#a6cee3"
INKS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # of Okabe & Ito (2008), safe for colour-blind readers
FAINT = "#d4d4d4"  # where there is too little light
OUTLINE = [withStroke(linewidth=1.2, foreground="#101010")]  # white marks show on any colour
BAR = 1.6  # points: width of a scale bar
BAR_OUTLINE = [withStroke(linewidth=BAR + 1.2, foreground="#101010")]  # a stroke lies under the line: it must be wider

STYLE = {
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "xtick.labelsize": 7, "ytick.labelsize": 7,
    "legend.fontsize": 7, "legend.frameon": False, "axes.linewidth": 0.6, "lines.linewidth": 1.0,
    "xtick.direction": "in", "ytick.direction": "in", "xtick.top": True, "ytick.right": True,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 2.5, "ytick.major.size": 2.5,
    "xtick.major.pad": 4.5, "xtick.minor.size": 1.5, "ytick.minor.size": 1.5, "figure.dpi": 150,
    "savefig.dpi": "figure", "pdf.fonttype": 42, "ps.fonttype": 42, "axes.formatter.use_mathtext": True,
    "axes.labelpad": 2.5,
}  # fmt: skip

_PREFIXES = {-4: "p", -3: "n", -2: "\N{MICRO SIGN}", -1: "m", 0: "", 1: "k", 2: "M", 3: "G"}


def styled(function):
    """Plots in the style above, whatever the caller's settings."""

    @functools.wraps(function)
    def draw(*arguments, **options):
        with matplotlib.rc_context(STYLE):
            return function(*arguments, **options)

    return draw


def of_cube(function):
    """A plot of a cube, or of the first cube of a result."""

    @functools.wraps(function)
    def draw(cube, *arguments, **options):
        cube = cube.cube() if isinstance(cube, Result) else cube
        if not isinstance(cube, Cube):
            raise InputError(f"{function.__name__}: expected a cube, such as result.cube(), found {_kind(cube)}")
        return function(cube, *arguments, **options)

    return draw


def of_result(function):
    """A plot of a result."""

    @functools.wraps(function)
    def draw(result, *arguments, **options):
        if not isinstance(result, Result):
            expected = "a result, as run() and lr.Result.load() return it"
            raise InputError(f"{function.__name__}: expected {expected}, found {_kind(result)}")
        return function(result, *arguments, **options)

    return draw


def of_results(function):
    """A plot of one or several results."""

    @functools.wraps(function)
    def draw(results, *arguments, **options):
        results = [results] if isinstance(results, Result) else list(results)
        for result in results:
            if not isinstance(result, Result):
                raise InputError(f"{function.__name__}: expected a list of results, found {_kind(result)} in it")
        return function(results, *arguments, **options)

    return draw


def _kind(value):
    return f"'{value}'" if isinstance(value, (str, os.PathLike)) else type(value).__name__


def check_format(path):
    """Other formats of matplotlib depend on what else is installed."""
    if os.path.splitext(os.fspath(path))[1].lower() not in (".png", ".pdf", ".svg"):
        raise InputError(f"{path}: figures are PNG, PDF or SVG; use a name ending in .png, .pdf or .svg")


@styled
def save(figure, path, dpi=200):
    """Writes a figure.

    Parameters
    ----------
    figure : matplotlib figure
        What the other functions return. Required.
    path : str
        PNG, PDF or SVG, by the extension. Required.
    dpi : int
        Dots per inch of a PNG. Default: 200.
    """
    check_format(path)
    drawn = io.BytesIO()  # what fails after this concerns the file alone
    figure.savefig(drawn, dpi=dpi, format=os.path.splitext(os.fspath(path))[1][1:].lower())
    try:
        Path(path).write_bytes(drawn.getvalue())
    except OSError as failure:
        raise not_written(path, "figure", failure) from None


def new_axes(axes, size=(COLUMN, 2.6)):
    """These axes, or those of a new figure."""
    return axes if axes is not None else plt.figure(figsize=size, layout="constrained").add_subplot()


def new_figure(width, height):
    return plt.figure(figsize=(width, height))


def place(figure, left, top, width, height):
    """Axes at a place in inches from the upper left corner."""
    across, down = figure.get_size_inches()
    return figure.add_axes([left / across, 1 - (top + height) / down, width / across, height / down])


# ---- units ----


def unit_text(unit):
    """'K km/s', 'mJy/beam'; plain numbers have none."""
    unit = u.Unit(unit)
    if unit == u.dimensionless_unscaled:
        return ""
    over = [(base.to_string(), power) for base, power in zip(unit.bases, unit.powers)]

    def power_text(name, power):
        power = abs(power)
        return name if power == 1 else f"{name}$^{{{power}}}$"

    above = " ".join(power_text(*part) for part in over if part[1] > 0) or "1"
    below = [power_text(*part) for part in over if part[1] < 0]
    return above + ("/" + below[0] if len(below) == 1 else f"/({' '.join(below)})" if below else "")


def readable(largest, unit):
    """(factor, unit text) that scale a number to between 1 and 1000: mK for K, 10^-15 erg ... for others."""
    text = unit_text(unit)
    if not np.isfinite(largest) or largest <= 0:
        return 1.0, text
    power = int(np.floor(np.log10(largest * 1.0001) / 3))
    first = text.split("/")[0].split(" ")[0]
    if first in ("K", "Jy") and power in _PREFIXES:
        return 1000.0**-power, _PREFIXES[power] + text
    if -1 <= power <= 0 and largest > 0.05 or largest < 1e4 and power == 1:
        return 1.0, text
    tens = 3 * power if text[:1] != "" else int(np.floor(np.log10(largest)))
    return 10.0**-tens, f"$10^{{{tens}}}$ {text}".rstrip()


def label(name, text):
    return f"{name} [{text}]" if text else name


def of_scale(values, name, unit):
    """(values, label) in a readable unit."""
    values = np.asarray(values, dtype=float)
    finite = np.abs(values[np.isfinite(values)])
    factor, text = readable(finite.max() if finite.size else 0.0, unit)
    return values * factor, label(name, text)


def count(number, noun):
    """'1 cell', '32,768 cells', '2 million packets'."""
    text = f"{number / 1e6:g} million" if number >= 1e6 and number % 1e5 == 0 else f"{number:,d}"
    return f"{text} {noun}{'' if number == 1 else 's'}"


def line_name(result, cube=None):
    """'CO 1-0, 115.271 GHz', as far as known."""
    words = [transition_name(result.text)]
    if cube is not None:
        words.append(frequency_name(cube.rest_frequency.value))
    return ", ".join(word for word in words if word)
