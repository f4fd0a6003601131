"""Runs the program for a physics test and compares its results with expected values.

LINERAD_BIN names the program, LINERAD_DEVICE the device (default cpu) and LINERAD_PRECISION the precision of tests that
do not set one (default mixed). Every comparison is printed: `pytest -s` shows the whole table.
"""

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# Differences up to this many combined standard errors are accepted. The runs have fixed seeds, so the chance of
# failure, one in two thousand, arises only when a test is written or the order of random numbers changes, not at every
# run.
N_SIGMA = 3.5

# Enough batches for the quoted standard errors to be known to 9 %.
BATCHES = 64

PARSEC_CM = 3.0856775814913673e18


class Measured(NamedTuple):
    """A value and its standard error."""

    value: float
    error: float

    def __mul__(self, factor):
        return Measured(self.value * factor, self.error * abs(factor))

    __rmul__ = __mul__

    def __truediv__(self, divisor):
        return self * (1 / divisor)


class Run:
    """One finished run: the summary as printed by --json, and the result file."""

    def __init__(self, summary, path):
        self.summary = summary
        self.path = path

    def __getitem__(self, name):
        """A summary value with its standard error."""
        if name in ("lower_quartile_abs_x", "upper_quartile_abs_x"):
            which = 0 if name.startswith("lower") else 1
            return Measured(self.summary["quartiles_abs_x"][which], self.summary["quartiles_abs_x_error"][which])
        return Measured(self.summary[name], self.summary[name + "_error"])

    def data(self, name):
        """A dataset of the result file."""
        with h5py.File(self.path) as file:
            return file[name][()]

    def attribute(self, name, group="summary"):
        with h5py.File(self.path) as file:
            return file[group].attrs[name]

    @functools.cached_property
    def packets(self):
        """The list of escaped packets, in the order of their numbers, as arrays by name. Besides the datasets of the
        file: `x`, the shift in Doppler units of the reference b."""
        with h5py.File(self.path) as file:
            columns = {name: column[()] for name, column in file["packets"].items()}
        order = np.argsort(columns["id"])
        columns = {name: column[order] for name, column in columns.items()}
        columns["x"] = columns["shift"] / self.summary["reference_b_cm_s"]
        return columns

    @functools.cached_property
    def cell_volumes(self):
        """In the shape of the fields of the mesh."""
        with h5py.File(self.path) as file:
            mesh = file["mesh"]
            if "level" in mesh:
                whole = np.prod((mesh["upper"][()] - mesh["lower"][()]) / (mesh["root"][()] * mesh["brick"][()]))
                shape = (-1, 1, 1, 1)
                return np.broadcast_to((whole / 8.0 ** mesh["level"][()]).reshape(shape),
                                       (len(mesh["level"]), *mesh["brick"][()]))
        x, y, z = (np.diff(self.data(f"mesh/{axis}_edges")) for axis in "xyz")
        return x[:, None, None] * y[None, :, None] * z[None, None, :]


class Linerad:
    """The program. Runs are cached for the session: requesting the same one again costs nothing."""

    def __init__(self, program, new_folder):
        self.program = program
        self.new_folder = new_folder
        self.done = {}

    def run(self, model, settings=None, *, packets, seed=1, precision=None, threads=None, fields=None):
        """Runs a model file (or `NAME`, an example) and returns a Run.

        Every scattering is followed unless the settings say otherwise. settings: a mapping for --set. fields: {file
        name: {dataset: (array, units)}}, HDF5 files the model refers to.
        """
        source = EXAMPLES / f"{model}.yaml" if isinstance(model, str) else Path(model)
        settings = {"run.batches": BATCHES, "physics.acceleration": "none"} | (settings or {})
        precision = precision or os.environ.get("LINERAD_PRECISION", "mixed")
        key = (source, tuple(sorted((k, str(v)) for k, v in settings.items())), packets, seed, precision, threads)
        if fields is None and key in self.done:
            return self.done[key]

        folder = self.new_folder()
        shutil.copy(source, folder / "model.yaml")
        for name, datasets in (fields or {}).items():
            with h5py.File(folder / name, "w") as file:
                for dataset, (values, units) in datasets.items():
                    file[dataset] = values
                    if units:
                        file[dataset].attrs["units"] = units
        command = [self.program, "run", "model.yaml", "-o", "result.h5", "--json", "--quiet"]
        command += ["--packets", f"{packets:.0f}", "--seed", str(seed), "--precision", precision]
        command += ["--device", os.environ.get("LINERAD_DEVICE", "cpu")]
        if threads:
            command += ["--threads", str(threads)]
        for name, value in settings.items():
            command += ["--set", f"{name}={json.dumps(value) if isinstance(value, (bool, dict, list)) else value}"]
        finished = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert finished.returncode == 0, f"{' '.join(command)}\n{finished.stderr}"
        result = Run(json.loads(finished.stdout), folder / "result.h5")
        assert result.summary["packets"] == packets
        print(f"run {source.stem} {settings}: {packets:.0f} packets, {precision}, seed {seed}, "
              f"{result.summary['scatterings']:.3g} scatterings in {result.summary['seconds']['transport']:.1f} s")
        if fields is None:
            self.done[key] = result
        return result


def deviation(measured, expected):
    """Difference in combined standard errors. `expected` is a Measured or an exact number."""
    value, error = expected if isinstance(expected, tuple) else (expected, 0.0)
    combined = np.hypot(measured.error, error)
    assert combined > 0, "a comparison without any statistical error"
    return (measured.value - value) / combined


def assert_agrees(name, measured, expected, n_sigma=N_SIGMA):
    """`measured` equals `expected` (a Measured or an exact number) within n_sigma combined standard errors."""
    sigma = deviation(measured, expected)
    value, error = expected if isinstance(expected, tuple) else (expected, 0.0)
    line = (f"{name}: {measured.value:.6g} +- {measured.error:.2g}, "
            f"expected {value:.6g} +- {error:.2g}: {sigma:+.2f} sigma")
    print("  " + line)
    assert abs(sigma) < n_sigma, line


def assert_close(name, value, expected, relative):
    """`value` equals `expected` within a fraction `relative`; for non-statistical tolerances."""
    difference = value / expected - 1
    line = f"{name}: {value:.6g}, expected {expected:.6g}, {difference:+.3e} of {relative:.1e} allowed"
    print("  " + line)
    assert abs(difference) <= relative, line


def weighted_mean(values, weights=None):
    """Mean of independent draws and its standard error."""
    values = np.asarray(values, dtype=float)
    weights = np.ones_like(values) if weights is None else weights / np.mean(weights)
    mean = np.mean(weights * values)
    return Measured(mean, np.std(weights * (values - mean), ddof=1) / np.sqrt(len(values)))


def fraction(hits, trials):
    """A binomial fraction and its standard error."""
    share = hits / trials
    return Measured(share, np.sqrt(share * (1 - share) / trials))


# Kolmogorov's distribution: sqrt(n) D exceeds this once in two thousand, as often as 3.5 standard errors.
KOLMOGOROV = 2.04


def assert_distributed(name, values, cumulative, allowance=0.0):
    """Independent draws follow a distribution: Kolmogorov-Smirnov. `allowance` is added for a known finite effect."""
    values = np.sort(np.asarray(values, dtype=float))
    n = len(values)
    expected = cumulative(values)
    distance = max(np.max(np.arange(1, n + 1) / n - expected), np.max(expected - np.arange(n) / n))
    limit = KOLMOGOROV / np.sqrt(n) + allowance
    line = f"{name}: Kolmogorov-Smirnov distance {distance:.4f} of {limit:.4f} allowed, {n} draws"
    print("  " + line)
    assert distance < limit, line
