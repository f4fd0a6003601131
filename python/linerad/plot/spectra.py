"""Spectra: of escaped packets, and of images."""

import astropy.units as u
import numpy as np

from .style import BAND, INK, INKS, label, line_name, new_axes, of_cube, of_result, of_results, readable, styled

VELOCITY = "radio velocity [km/s]"


def _draw(axes, edges, values, errors, name, unit, ink=INK, log=False):
    """Steps with a band of one standard error."""
    top = float(np.nanmax(np.abs(values))) if len(values) else 0.0
    factor, text = readable(top, unit)
    values = np.asarray(values, dtype=float) * factor
    if errors is not None:
        band = np.nan_to_num(np.asarray(errors, dtype=float) * factor)
        colour = BAND if ink == INK else ink
        shown = axes.stairs(values + band, edges, baseline=values - band, fill=True, color=colour, lw=0)
        shown.set_alpha(1 if ink == INK else 0.3)
        shown.set_label(r"$\pm$ 1 standard error")
    axes.stairs(values, edges, color=ink, lw=0.9 if len(values) < 300 else 0.5, baseline=None)
    axes.set_ylabel(label(name, text))
    if log and (values > 0).any():
        axes.set_yscale("log")
        axes.set_ylim(max(values[values > 0].min(), 1e-5 * values.max()) / 2, 2 * values.max())
    elif values.min() >= 0:
        axes.set_ylim(0, 1.08 * values.max() if values.max() > 0 else 1)


def _show_line(axes, edges, values, share=2e-3, room=0.15):
    """Limits around the visible part, with a small margin."""
    middle = np.abs(values - np.median(values[[0, -1]]))
    lit = np.flatnonzero(middle > share * middle.max()) if middle.max() > 0 else []
    ends = np.sort([edges[lit[0]], edges[lit[-1] + 1]] if len(lit) else [edges[0], edges[-1]])
    room *= ends[1] - ends[0]
    whole = np.sort([edges[0], edges[-1]])
    axes.set_xlim(max(ends[0] - room, whole[0]), min(ends[1] + room, whole[1]))


@styled
@of_result
def spectrum(result, axes=None, against="velocity", log=False):
    """The escaped spectrum with a band of one standard error. In its own figure the upper axis shows the other of
    velocity and x. Returns the axes.

    Parameters
    ----------
    result : Result
        Of a run. Required.
    axes : matplotlib axes
        To draw into. Default: those of a new figure.
    against : str
        'velocity' (the default), in km/s, or 'x', in Doppler units.
    log : bool
        Logarithmic scale. Default: False.
    """
    found = result.spectrum
    if found is None:
        raise ValueError("no packets were followed, so there is no escaped spectrum")
    if against not in ("velocity", "x"):
        raise ValueError(f"against '{against}': write 'velocity' or 'x'")
    alone, axes = axes is None, new_axes(axes)
    b = found._reference_b.to_value(u.km / u.s)
    if against == "x":
        edges, flux, error, per = found.x_edges, found.flux, found.error, ""
    else:
        edges, (flux, error), per = found.velocity_edges.value, found.per_velocity(), "/(km/s)"
    texts = {"x": r"$x = (\nu - \nu_0)/\nu_\mathrm{D}$, blue > 0", "velocity": f"{VELOCITY}, receding > 0"}
    _draw(axes, edges, flux.value, error.value, "escaped", u.dimensionless_unscaled, log=log)
    _, text = readable(float(flux.value.max()), u.dimensionless_unscaled)
    axes.set_ylabel(label("photons", f"{text} s$^{{-1}}${per or ' per $x$'}".strip()))
    _show_line(axes, edges, flux.value)
    axes.set_xlabel(texts[against] if alone else texts[against].split(",")[0])
    if alone:
        other = "velocity" if against == "x" else "x"
        factor = -b if against == "x" else -1 / b
        axes.tick_params(top=False)
        upper = axes.secondary_xaxis("top", functions=(lambda at: at * factor, lambda at: at / factor))
        upper.set_xlabel(texts[other])
        axes.figure.legend(loc="outside lower right")
    return axes


def image_flux(cube):
    """(values, errors, name, unit): flux density in Jy if the unit of the cube gives the flux of a pixel, otherwise the
    mean over the image."""
    mean, error = cube.mean_spectrum()
    number = cube.shape[1] * cube.shape[2]
    solid = (cube.pixel[0] * cube.pixel[1]).to_value(u.sr) if cube.pixel.unit == u.rad else None
    bases = dict(zip([base.to_string() for base in cube.unit.bases], cube.unit.powers))
    share = None
    if bases.get("Jy") == 1 and bases.get("pix") == -1:
        share = 1.0
    elif bases.get("Jy") == 1 and bases.get("sr") == -1:
        share = solid
    elif bases.get("Jy") == 1 and bases.get("beam") == -1 and cube.beam and solid:
        major, minor, _ = cube.beam
        share = solid / (np.pi / (4 * np.log(2)) * (major * minor).to_value(u.sr))
    if share is None:
        name = r"mean $T_\mathrm{B}$" if str(cube.unit) == "K" else "mean brightness"
        return mean.value, None if error is None else error.value, name, cube.unit
    total = share * number
    return mean.value * total, None if error is None else error.value * total, "flux density", u.Jy


def channel_edges(cube):
    step = cube.channel_width.value
    return np.append(cube.velocity.value - 0.5 * step, cube.velocity.value[-1] + 0.5 * step)


@styled
@of_cube
def image_spectrum(cube, axes=None, ink=INK, log=False):
    """Spectrum of the whole image: flux density in Jy, or the mean brightness; with a band of one standard error if
    the run has errors (``Image(errors=True)``). Returns the axes.

    Parameters
    ----------
    cube : Cube
        Such as ``result.cube()``, or a result, whose first camera is shown. Required.
    axes : matplotlib axes
        To draw into. Default: those of a new figure.
    ink : colour
        Of the line. Default: dark blue.
    log : bool
        Logarithmic scale. Default: False.
    """
    alone, axes = axes is None, new_axes(axes)
    values, errors, name, unit = image_flux(cube)
    edges = channel_edges(cube)
    _draw(axes, edges, values, errors, name, unit, ink, log)
    _show_line(axes, edges, values, room=0.5)
    axes.set_xlabel(f"{VELOCITY}, receding > 0" if alone else VELOCITY)
    if alone and errors is not None:
        axes.figure.legend(loc="outside lower right")
    return axes


def share_velocities(drawn):
    """The same range of velocities in all of these axes: that of all together."""
    ends = np.array([axes.get_xlim() for axes in drawn])
    for axes in drawn:
        axes.set_xlim(ends.min(), ends.max())


@styled
@of_results
def line_spectra(results, camera=None, axes=None):
    """Spectra of the images of several lines in one diagram. If one is more than ten times as strong as another, each
    is drawn relative to its peak, which the legend gives. Returns the axes.

    Parameters
    ----------
    results : list of Result
        One for each line. Required.
    camera : str or int
        Its name, or its number from 0. Default: None, the first.
    axes : matplotlib axes
        Where to draw. Default: None, a new figure.
    """
    axes = new_axes(axes)
    cubes = [result.cube(camera) for result in results]
    found = [image_flux(cube) for cube in cubes]
    if len({(name, unit) for _, _, name, unit in found}) > 1:
        raise ValueError("these images have different units; make them alike with image.unit")
    tops = [float(np.nanmax(np.abs(values))) for values, _, _, _ in found]
    relative = min(tops) < 0.1 * max(tops) and min(tops) > 0
    factor, text = (1.0, "") if relative else readable(max(tops), found[0][3])
    ends = []
    for k, (result, cube, (values, errors, name, unit)) in enumerate(zip(results, cubes, found)):
        ink, edges, scale = INKS[k % len(INKS)], channel_edges(cube), 1 / tops[k] if relative else factor
        title = line_name(result, cube)
        if relative:
            own, own_text = readable(tops[k], unit)
            title += f", peak {tops[k] * own:.3g} {own_text}"
        values = np.asarray(values, dtype=float) * scale
        if errors is not None:
            band = np.nan_to_num(np.asarray(errors, dtype=float) * scale)
            axes.stairs(values + band, edges, baseline=values - band, fill=True, color=ink, alpha=0.3, lw=0)
        axes.stairs(values, edges, color=ink, baseline=None, label=title, ls="-" if k < len(INKS) else "--")
        _show_line(axes, edges, values, room=0.5)
        ends.append(axes.get_xlim())
    axes.set_xlim(np.min(ends), np.max(ends))
    axes.set_xlabel(f"{VELOCITY}, receding > 0")
    axes.set_ylabel(f"{found[0][2]} relative to its peak" if relative else label(found[0][2], text))
    axes.figure.legend(loc="outside upper left") if axes.figure.get_layout_engine() else axes.legend()
    return axes
