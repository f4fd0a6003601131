"""Level populations: how they converged, and how the line is excited."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from .maps import LENGTHS, NAMES, fitting
from .style import ACCENT, BAND, INK, label, new_axes, of_result, styled


def has_history(result):
    found = result.populations
    return found is not None and len(found.history.get("change", ())) > 1


@styled
@of_result
def convergence(result, axes=None):
    """Change and estimated error of the level populations in each iteration. Returns the axes.

    Parameters
    ----------
    result : Result
        Of a run. Required.
    axes : matplotlib axes
        To draw into. Default: those of a new figure.
    """
    found = result.populations
    if found is None or len(found.history.get("change", ())) == 0:
        raise ValueError("no populations were solved by iteration")
    alone, axes = axes is None, new_axes(axes)
    change, error = found.history["change"], found.history["error"]
    steps = np.arange(1, len(change) + 1)
    size = 3 if len(steps) < 40 else 1.5
    axes.semilogy(steps, change, "o-", ms=size, color=INK, mfc="white", label="change")
    axes.semilogy(steps, error, "s-", ms=size, color=ACCENT, label="estimated error")
    jumps = np.flatnonzero(found.history["accelerated"])
    if len(jumps):
        axes.semilogy(steps[jumps], change[jumps], "o", ms=size, color=INK, label="accelerated")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("iteration")
    axes.set_ylabel("relative")
    # the curves fall from the upper left: its opposite corner stays free
    axes.legend(loc="upper right", handlelength=1.6, borderaxespad=0.2)
    if alone:
        axes.set_title(f"{found.iterations} iterations, {'converged' if found.converged else 'not converged'}")
    return axes


@styled
@of_result
def excitation(result, axes=None):
    """Excitation temperature of the line: against radius on shells, otherwise a histogram over cells. Returns the axes.

    Parameters
    ----------
    result : Result
        Of a run. Required.
    axes : matplotlib axes
        To draw into. Default: those of a new figure.
    """
    found = result.populations
    if found is None or found.excitation_temperature is None:
        raise ValueError("no excitation temperature: the model has no molecule, or output.populations is off")
    axes = new_axes(axes)
    kelvin = np.asarray(found.excitation_temperature.value, dtype=float)
    if result.mesh["kind"] == "shells":
        edges = result.mesh["r_edges"]
        unit = fitting(edges.max(), LENGTHS, 0.05)
        axes.stairs(kelvin, edges.to_value(unit), baseline=None, color=INK)
        axes.set_xlabel(label("radius", NAMES.get(unit, str(unit))))
        if edges[0] > 0 and edges[-1] > 20 * edges[0]:
            axes.set_xscale("log")
        axes.set_ylabel(label(r"$T_\mathrm{ex}$", "K"))
        finite = kelvin[np.isfinite(kelvin)]
        if finite.size and finite.min() > 0:
            axes.set_ylim(0, 1.08 * finite.max())
        elif finite.size:  # inverted somewhere
            axes.set_yscale("symlog", linthresh=max(1.0, np.min(np.abs(finite))))
            axes.axhline(0, color="#808080", lw=0.5)
        return axes
    finite = kelvin[np.isfinite(kelvin)]
    low, high = np.percentile(finite, (0.5, 99.5)) if finite.size else (0.0, 1.0)
    axes.hist(np.clip(finite, low, high), bins=min(40, max(5, finite.size // 20)), color=BAND, ec=INK, lw=0.4)
    axes.set_xlabel(label("excitation temperature", "K"))
    axes.set_ylabel("cells")
    return axes
