"""Position-velocity diagrams."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from ..cut import degrees
from .maps import Sky, beyond, brightness_name, clip, colours_of, finish_bar, scale_of
from .spectra import VELOCITY, channel_edges
from .style import COLUMN, SIGNED, label, new_axes, of_cube, readable, styled


@styled
@of_cube
def pv(cube, angle=None, width=1, through=None, axes=None, stretch=None):
    """The light along a cut through the image, against velocity. A dashed line marks the systemic velocity. Returns the
    axes.

    Parameters
    ----------
    cube : Cube
        With two channels or more; or a result, whose first camera is shown. Required.
    angle : float, degrees
        Direction of positive offsets, from up to the left: on the sky the position angle. Default: None, along x.
    width : int
        Mean over this many pixels across the cut. Default: 1.
    through : two offsets
        The point with offset zero, from the image centre. Default: None, the centre.
    axes : matplotlib axes
        Where to draw. Default: None, a new figure.
    stretch : str
        'linear' or 'log'. Default: None, whichever suits the range.
    """
    if cube.shape[0] < 2:
        raise ValueError("a position-velocity diagram needs more than one channel")
    offsets, found = cube.position_velocity(angle, width, through)
    sky, values = Sky(cube), np.asarray(found.value, dtype=float)
    factor, unit = readable(scale_of(values), cube.unit)
    values = values * factor
    options = colours_of(values, stretch)
    at, edges = offsets.to_value(sky.unit), channel_edges(cube)
    step = at[1] - at[0] if len(at) > 1 else min(cube.pixel).to_value(sky.unit)
    axes = new_axes(axes, (COLUMN, 2.8))
    drawn = axes.imshow(clip(values, options["norm"]), origin="lower", aspect="auto", interpolation="nearest",
                        extent=(at[0] - 0.5 * step, at[-1] + 0.5 * step, edges[0], edges[-1]), **options)  # fmt: skip
    axes.set_autoscale_on(False)
    systemic = cube.systemic_velocity
    if systemic is not None and min(edges[0], edges[-1]) < systemic.value < max(edges[0], edges[-1]):
        ink = "#404040" if options["cmap"] == SIGNED else "white"
        axes.axhline(systemic.value, color=ink, lw=0.6, ls=(0, (4, 3)), alpha=0.7)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.tick_params(color="#808080")
    axes.set_xlabel(label(_along(cube, sky, angle), sky.name))
    axes.set_ylabel(VELOCITY)
    bar = axes.figure.colorbar(drawn, ax=axes, extend=beyond(values, options["norm"]), pad=0.02, aspect=25)
    finish_bar(bar, label(brightness_name(cube), unit))
    return axes


def _along(cube, sky, angle):
    if angle is None:
        return sky.labels[0]
    text = f"{degrees(angle, cube):.4g}".replace("-", "\N{MINUS SIGN}")
    return f"offset along {'P.A. ' if sky.angles else ''}{text}°"
