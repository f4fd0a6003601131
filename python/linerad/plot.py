"""Quick looks at results: each function draws into axes or makes a figure, with units on every label, in colours that
are even in grey and for any colour vision. matplotlib must be installed."""

import astropy.units as u
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import Ellipse
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

COLOURS = "cividis"  # of brightness
DIVERGING = "PuOr_r"  # of velocities: blue-purple approaches, orange recedes
INK, ACCENT, PALE = "#1b2a49", "#c1440e", "#9db4d6"
OUTLINE = [withStroke(linewidth=2, foreground="#101010")]  # white marks show on any colour


def _label(name, unit):
    written = u.Unit(unit).to_string("latex_inline") if unit != "" else ""
    return f"{name} [{written}]" if written and written != "$\\mathrm{}$" else name


def _figure(axes, size=(6.0, 4.0)):
    if axes is not None:
        return axes
    return plt.figure(figsize=size, layout="constrained").add_subplot()


# ---- spectra ----


def spectrum(result, axes=None, against="velocity"):
    """The escaped spectrum with a band of one standard error, against 'velocity' or 'x'."""
    found = result.spectrum
    if found is None:
        raise ValueError("no packets were followed: there is no escaped spectrum")
    axes = _figure(axes)
    if against == "x":
        edges, flux, error = found.x_edges, found.flux, found.error
        axes.set_xlabel(r"$x = (\nu - \nu_0) / \nu_D$, positive = blue")
        unit = r"photons s$^{-1}$ per unit x"
    else:
        edges, (flux, error) = found.velocity_edges.value, found.per_velocity()
        axes.set_xlabel("radio velocity [km/s], positive = receding")
        unit = r"photons s$^{-1}$ / (km/s)"
    flux, error = flux.value, np.nan_to_num(error.value)
    axes.stairs(flux + error, edges, baseline=flux - error, fill=True, color=PALE, label="one standard error")
    axes.stairs(flux, edges, color=INK, label="escaped")
    axes.set_ylabel(f"flux [{unit}]")
    shown = np.flatnonzero(flux > 1e-4 * flux.max()) if flux.max() > 0 else []
    if len(shown):
        ends = np.sort([edges[shown[0]], edges[shown[-1] + 1]])
        room = 0.08 * (ends[1] - ends[0])
        axes.set_xlim(ends[0] - room, ends[1] + room)
    axes.legend(frameon=False, fontsize="small")
    return axes


def image_spectrum(cube, axes=None):
    """Mean over the image of each channel, with a band of one standard error."""
    axes = _figure(axes)
    mean, error = cube.mean_spectrum()
    step = cube.channel_width.value
    edges = np.append(cube.velocity.value - 0.5 * step, cube.velocity.value[-1] + 0.5 * step)
    if error is not None:
        band = np.nan_to_num(error.value)
        axes.stairs(
            mean.value + band, edges, baseline=mean.value - band, fill=True, color=PALE, label="one standard error"
        )
        axes.legend(frameon=False, fontsize="small")
    axes.stairs(mean.value, edges, color=INK)
    axes.set_xlabel("radio velocity [km/s], positive = receding")
    axes.set_ylabel(_label("mean over the image", mean.unit))
    return axes


# ---- maps ----


def _sky(cube):
    """Extent of the image about its middle, and the unit of that. East is left, as on the sky."""
    half = 0.5 * np.array([cube.shape[2], cube.shape[1]]) * cube.pixel
    units, least = (
        ((u.deg, u.arcmin, u.arcsec, u.mas), 1) if cube.pixel.unit == u.rad else ((u.kpc, u.pc, u.AU, u.cm), 0.05)
    )
    unit = next((unit for unit in units if half.max().to_value(unit) > least), units[-1])
    x, y = half.to_value(unit)
    return (-x, x, -y, y), unit


def _round_length(limit):
    """The largest 1, 2 or 5 times a power of ten that is not above the limit."""
    power = 10.0 ** np.floor(np.log10(limit))
    return max(step * power for step in (1, 2, 5) if step * power <= limit * (1 + 1e-9))


def _marks(axes, cube, extent, unit, beam):
    """A scale bar at the lower right and the beam at the lower left."""
    width, height = extent[1] - extent[0], extent[3] - extent[2]
    length = _round_length(0.3 * width)
    right, low = extent[1] - 0.06 * width, extent[2] + 0.08 * height
    axes.plot(
        [right - length, right],
        [low, low],
        color="white",
        lw=2,
        solid_capstyle="butt",
        path_effects=[withStroke(linewidth=4, foreground="#101010")],
    )
    text = f"{length:g} {unit}"
    if cube.distance is not None and cube.pixel.unit == u.rad:
        size = ((length * unit).to_value(u.rad) * cube.distance).to(u.pc)
        size = size if size > 0.05 * u.pc else size.to(u.AU)
        text += f" = {float(f'{size.value:.2g}'):,g} {size.unit}"
    axes.text(
        right,
        low + 0.03 * height,
        text,
        color="white",
        ha="right",
        va="bottom",
        fontsize="x-small",
        path_effects=OUTLINE,
    )
    if beam and cube.beam:
        major, minor, angle = cube.beam
        axes.add_patch(
            Ellipse(
                (extent[0] + 0.12 * width, extent[2] + 0.12 * height),
                minor.to_value(unit),
                major.to_value(unit),
                angle=angle.to_value(u.deg),
                facecolor="#60606080",
                edgecolor="white",
                hatch="////",
                lw=0.8,
            )
        )


def _show(axes, values, cube, marks=True, beam=True, **options):
    extent, unit = _sky(cube)
    drawn = axes.imshow(values, origin="lower", extent=extent, interpolation="nearest", **options)
    if marks:
        _marks(axes, cube, extent, unit, beam)
    axes.set_xlabel(f"offset to the right [{unit}]")
    axes.set_ylabel(f"offset up [{unit}]")
    return drawn


def moment(cube, order, axes=None):
    """A moment map with its scale."""
    axes = _figure(axes, (5.0, 4.2))
    values = cube.moment(order)
    shown = np.array(values.value, dtype=float)
    if order == 0:
        drawn = _show(axes, shown, cube, cmap=COLOURS, vmin=min(0.0, np.nanmin(shown)))
        title, name = "moment 0", "integral over velocity"
    else:
        axes.set_facecolor("#d5d5d5")
        bright = cube.moment(0).value
        shown[~(bright > 0.01 * np.nanmax(bright))] = np.nan
        if order == 1:
            middle = np.nanmedian(shown) if np.isfinite(shown).any() else 0.0
            reach = np.nanpercentile(np.abs(shown - middle), 99) if np.isfinite(shown).any() else 1.0
            reach = max(reach, 0.5 * cube.channel_width.value)
            drawn = _show(axes, shown, cube, cmap=DIVERGING, vmin=middle - reach, vmax=middle + reach)
            title, name = "moment 1", "mean velocity"
        else:
            drawn = _show(axes, shown, cube, cmap=COLOURS)
            title, name = "moment 2", "velocity dispersion"
    axes.set_title(title, fontsize="medium")
    axes.figure.colorbar(drawn, ax=axes, label=_label(name, values.unit))
    return axes


def moments(cube):
    """All three of them side by side."""
    figure, row = plt.subplots(1, 3, figsize=(12.5, 3.6), layout="constrained")
    for order, axes in enumerate(row):
        moment(cube, order, axes)
    return figure


def _choose_channels(cube, number):
    """Evenly over the channels that hold 98 % of the light."""
    light = np.maximum(cube.data.value, 0).sum(axis=(1, 2), dtype=float)
    if not light.sum() > 0:
        return np.unique(np.linspace(0, len(light) - 1, number).round().astype(int))
    share = np.cumsum(light) / light.sum()
    first, last = np.searchsorted(share, (0.01, 0.99))
    return np.unique(np.linspace(first, max(last, first), number).round().astype(int))


def _grid(cube, values, name, unit, number, **options):
    """Maps of single channels on one scale."""
    channels = _choose_channels(cube, number)
    columns = int(np.ceil(np.sqrt(len(channels))))
    rows = int(np.ceil(len(channels) / columns))
    figure, all_axes = plt.subplots(
        rows,
        columns,
        figsize=(2.4 * columns + 0.9, 2.4 * rows),
        layout="constrained",
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for axes in all_axes.flat[len(channels) :]:
        axes.set_axis_off()
    for place, channel in enumerate(channels):
        axes = all_axes.flat[place]
        corner = place // columns == rows - 1 and place % columns == 0
        drawn = _show(axes, values[channel], cube, marks=corner, cmap=COLOURS, **options)
        axes.text(
            0.04,
            0.96,
            f"{cube.velocity[channel].value:.3g} km/s",
            transform=axes.transAxes,
            va="top",
            color="white",
            fontsize="small",
            path_effects=OUTLINE,
        )
        if not corner:
            axes.set_xlabel("")
            axes.set_ylabel("")
    figure.colorbar(drawn, ax=all_axes, label=_label(name, unit), shrink=0.9)
    return figure


def channel_maps(cube, number=9):
    """Up to `number` channels on one scale, with velocities, a scale bar and the beam."""
    values = cube.data.value
    top, most = float(np.nanpercentile(values, 99.9)), float(np.nanmax(values))
    top = top if most > 10 * top > 0 else most  # a star in one pixel does not set the scale
    return _grid(
        cube, values, "brightness", cube.unit, number, vmin=min(0.0, float(np.nanmin(values))), vmax=top or 1.0
    )


def optical_depth(cube, number=9):
    """Up to `number` channels of the optical depth through the mesh, on a logarithmic scale."""
    from matplotlib.colors import LogNorm

    values = cube.optical_depth
    if values is None:
        raise ValueError("there is no optical depth: run with image.optical_depth")
    top = float(np.nanmax(values)) or 1.0
    norm = LogNorm(max(1e-4 * top, 1e-30), top)
    return _grid(cube, np.maximum(values, norm.vmin), "optical depth", "", number, beam=False, norm=norm)


# ---- convergence ----


def convergence(result, axes=None):
    """Change and estimated error of the level populations in each iteration."""
    found = result.populations
    if found is None or len(found.history.get("change", ())) == 0:
        raise ValueError("no populations were found by iteration")
    axes = _figure(axes)
    steps = np.arange(1, len(found.history["change"]) + 1)
    axes.semilogy(steps, found.history["change"], "o-", ms=3, color=PALE, label="relative change")
    axes.semilogy(steps, found.history["error"], "s-", ms=3, color=INK, label="estimated error")
    jumps = np.flatnonzero(found.history["accelerated"])
    if len(jumps):
        axes.semilogy(
            steps[jumps], found.history["change"][jumps], "o", ms=7, mfc="none", color=ACCENT, label="accelerated"
        )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("iteration")
    axes.set_ylabel("relative, of level populations")
    axes.legend(frameon=False, fontsize="small")
    return axes


# ---- everything ----


def quicklook(result, camera=None):
    """What the result has, on one page: spectrum, brightest channel, moments, optical depth, convergence."""
    panels = []
    if result.spectrum is not None:
        panels.append(("escaped spectrum", lambda axes: spectrum(result, axes)))
    if result.cameras:
        cube = result.cube(camera)

        def peak(axes):
            drawn = _show(axes, cube.peak.value, cube, cmap=COLOURS)
            axes.figure.colorbar(drawn, ax=axes, label=_label("peak", cube.unit))

        panels.append((f"camera '{cube.camera}'", lambda axes: image_spectrum(cube, axes)))
        panels.append((f"peak, camera '{cube.camera}'", peak))
        panels += [(f"moment {order}", lambda axes, order=order: moment(cube, order, axes)) for order in (0, 1, 2)]
        if cube.optical_depth is not None:

            def depth(axes):
                drawn = _show(axes, cube.optical_depth.max(axis=0), cube, beam=False, cmap=COLOURS)
                axes.figure.colorbar(drawn, ax=axes, label="largest optical depth of a channel")

            panels.append(("optical depth", depth))
    found = result.populations
    if found is not None and len(found.history.get("change", ())) > 1:
        panels.append((f"populations by {found.method}", lambda axes: convergence(result, axes)))
    if not panels:
        raise ValueError("there is nothing to draw: no packets, no images, no iterations")
    columns = min(3, len(panels))
    rows = int(np.ceil(len(panels) / columns))
    figure, all_axes = plt.subplots(
        rows, columns, figsize=(4.4 * columns, 3.7 * rows), layout="constrained", squeeze=False
    )
    for axes in all_axes.flat[len(panels) :]:
        axes.set_axis_off()
    for axes, (title, draw) in zip(all_axes.flat, panels):
        draw(axes)
        axes.set_title(title, fontsize="medium")
    return figure
