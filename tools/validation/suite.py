"""Shared by the cases of the validation suite: rows of the table, the list of cases, and the models of tests/physics.

A case is a function of a Suite that returns an Outcome. Models, expected values and measurements are those of the
tests; a case only chooses sizes and says what is compared with what.
"""

import importlib.util
import itertools
import math
import os
import sys
from pathlib import Path

from harness import N_SIGMA, Linerad

ROOT = Path(__file__).resolve().parents[2]

SOURCES = {
    "exact": "independent exact Monte Carlo, [physics.md](physics.md#8-reference-solutions)",
    "neufeld": "Neufeld 1990, ApJ 350, 216: limit of infinite depth",
    "dijkstra": "Dijkstra, Haiman & Spaans 2006, ApJ 649, 14: limit of infinite depth",
    "verhamme": "Verhamme, Schaerer & Maselli 2006, A&A 460, 397",
    "avrett": "Avrett & Hummer 1965, MNRAS 130, 295, and the integral equation solved numerically",
    "hummer": "Hummer 1962, MNRAS 125, 21: redistribution function in closed form",
    "voigt": "Beer's law with the Voigt function of scipy",
    "packets": "packets of the same run that leave in the direction of the camera",
    "vz2002": "van Zadelhoff et al. 2002, A&A 395, 373: problems 1 and 2; independent solution with tangent rays",
    "radex": "tables of escape-probability models, conventions of RADEX (van der Tak et al. 2007, A&A 468, 627)",
    "radmc3d": "RADMC-3D 2.0 (Dullemond et al. 2012, ASCL 1202.015)",
    "peel": "peel-off estimator (Yusef-Zadeh, Morris & White 1984, ApJ 278, 186), another way to the same image",
    "double": "the same packets or rays in double precision on the CPU",
    "sums": "sums over the cells of the cloud, in LTE",
}


class Outcome:
    """Rows of the table and panels of the figure of one case."""

    def __init__(self):
        self.rows, self.panels = [], []

    def _add(self, quantity, packets, measured, reference, source, **more):
        assert source in SOURCES
        self.rows.append({"quantity": quantity, "packets": float(packets), "measured": measured,
                          "reference": reference, "source": source} | more)

    def statistical(self, quantity, packets, measured, reference, source, allowance=0.0):
        """Passes within N_SIGMA combined standard errors, plus a fraction `allowance` of the reference."""
        value, error = _pair(measured)
        expected, expected_error = _pair(reference)
        combined = math.hypot(error, expected_error)
        limit = N_SIGMA * combined + allowance * abs(expected)
        self._add(quantity, packets, [value, error], [expected, expected_error], source, kind="statistical",
                  error=combined, allowance=allowance, passed=abs(value - expected) <= limit)

    def within(self, quantity, packets, measured, reference, source, relative=None, absolute=None):
        """Passes within a non-statistical tolerance."""
        value, _ = _pair(measured)
        expected, _ = _pair(reference)
        limit = absolute if relative is None else relative * abs(expected)
        self._add(quantity, packets, [value, 0.0], [expected, 0.0], source, kind="tolerance", relative=relative,
                  absolute=absolute, passed=abs(value - expected) <= limit)

    def between(self, quantity, packets, measured, low, high, source):
        """Passes between two numbers, neither of which is expected."""
        value, _ = _pair(measured)
        self._add(quantity, packets, [value, 0.0], [low, high], source, kind="range", passed=low < value < high)

    def shown(self, quantity, packets, measured, reference, source):
        """Shown next to another number, without a verdict: the two need not agree."""
        self._add(quantity, packets, list(_pair(measured)), list(_pair(reference)), source, kind="shown", passed=None)

    def panel(self, title, x_label, y_label, log=""):
        """A panel of the figure; curves are added to it."""
        self.panels.append({"title": title, "x_label": x_label, "y_label": y_label, "log": log, "curves": []})
        return self.panels[-1]["curves"]


def curve(x, y, label, style="line", error=None):
    """style: line, dashed, steps, points, crosses."""
    listed = lambda values: None if values is None else [float(value) for value in values]
    return {"x": listed(x), "y": listed(y), "error": listed(error), "label": label, "style": style}


def _pair(value):
    return (float(value[0]), float(value[1])) if isinstance(value, (tuple, list)) else (float(value), 0.0)


class Suite:
    """How to run: the program, the device, and how large."""

    def __init__(self, program, device, share, quick, folder):
        self.program, self.device, self.share, self.quick = program, device, share, quick
        self.numbers = itertools.count()
        self.folder = folder
        self.linerad = Linerad(program, self.new_folder)
        os.environ.update(LINERAD_BIN=program, LINERAD_DEVICE=device)

    def new_folder(self):
        path = Path(self.folder) / f"run{next(self.numbers)}"
        path.mkdir()
        return path

    def packets(self, full, least=640):
        """Packets for a run that has this many at full size."""
        return float(min(full, max(round(full * self.share), least)))

    def pick(self, values, quick=1):
        """All of the values; only the first few in a quick run."""
        return list(values)[:quick] if self.quick else list(values)

    @property
    def has_gpu(self):
        return self.device.startswith("cuda")


class Skipped(Exception):
    """A case that cannot run here, and why."""


CASES = {}


def case(name, title, about):
    """Registers a case. `about` is the text of its section."""

    def register(function):
        CASES[name] = {"name": name, "title": title, "about": about, "function": function}
        return function

    return register


def load(path):
    """A module of tests/physics or tests/parity by its path without .py. Modules next to it are imported by their bare
    names, some of which occur twice, so these are removed from the cache afterwards."""
    path = (ROOT / "tests" / path).with_suffix(".py")
    before = set(sys.modules)
    sys.path.insert(0, str(path.parent))
    try:
        spec = importlib.util.spec_from_file_location(f"validation_{path.parent.name}_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
        for name in set(sys.modules) - before:
            if getattr(sys.modules[name], "__file__", None) and Path(sys.modules[name].__file__).parent == path.parent:
                del sys.modules[name]
    return module
