"""Maps of cubes: channels, moments, optical depth. Offsets are from the image centre; on the sky (with a distance, or
for a nearby observer) right ascension increases to the left."""

import astropy.units as u
import numpy as np
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patches import Ellipse
from matplotlib.ticker import MaxNLocator

from .style import (
    APPROACHING,
    BAR,
    BAR_OUTLINE,
    BRIGHTNESS,
    COLUMN,
    FAINT,
    OUTLINE,
    PAGE,
    RECEDING,
    SIGNED,
    WIDTHS,
    label,
    new_axes,
    new_figure,
    of_cube,
    of_scale,
    place,
    readable,
    styled,
)

ANGLES = (u.deg, u.arcmin, u.arcsec, u.mas)
LENGTHS = (u.Mpc, u.kpc, u.pc, u.AU, u.R_sun, u.km, u.cm)
NAMES = {u.AU: "au", u.R_sun: r"R$_\odot$"}
MASK = 0.02  # of the brightest: fainter pixels have no meaningful mean velocity


def fitting(size, units, least):
    """The first unit in which a size is more than `least`; kpc and Mpc from 0.5 on."""
    limits = {u.Mpc: 0.5, u.kpc: 0.5}
    return next((unit for unit in units if size.to_value(unit) > limits.get(unit, least)), units[-1])


def _round_length(limit):
    """The largest 1, 2 or 5 times a power of ten up to the limit."""
    power = 10.0 ** np.floor(np.log10(limit))
    return max(step * power for step in (1, 2, 5) if step * power <= limit * (1 + 1e-9))


class Sky:
    """The axes of an image: extent as imshow takes it, unit, labels, and height over width as drawn."""

    def __init__(self, cube):
        self.angles = cube.pixel.unit == u.rad
        half = 0.5 * np.array([cube.shape[2], cube.shape[1]]) * cube.pixel
        self.unit = fitting(half.max(), ANGLES, 1) if self.angles else fitting(half.max(), LENGTHS, 0.05)
        self.name = NAMES.get(self.unit, str(self.unit))
        x, y = half.to_value(self.unit)
        self.extent = (x, -x, -y, y) if self.angles else (-x, x, -y, y)
        self.labels = ("R.A. offset", "Dec. offset") if self.angles else ("offset to the right", "offset up")
        self.true = 0.25 <= y / x <= 4
        self.aspect = y / x if self.true else (0.25 if y < x else 4.0)  # a strip would be a line

    def bar(self, cube):
        """(length in units of the axes, text) of a scale bar of round length, below a third of the image."""
        limit = 0.33 * abs(self.extent[1] - self.extent[0])
        if not self.angles or cube.distance is None:
            length = _round_length(limit)
            return length, f"{length:g} {self.name}"
        size = (limit * self.unit).to_value(u.rad) * cube.distance
        unit = fitting(size, LENGTHS, 0.009)
        length = _round_length(size.to_value(unit))
        on_sky = (length * unit / cube.distance).to_value(u.dimensionless_unscaled) * u.rad
        angle = fitting(on_sky, ANGLES, 0.99)
        text = f"{length:g} {NAMES.get(unit, unit)}, {on_sky.to_value(angle):.3g} {angle}"
        return on_sky.to_value(self.unit), text


def _place_on(axes, sky, across, up):
    """A position given in fractions of the axes, in their coordinates."""
    left, right, low, high = sky.extent
    return left + across * (right - left), low + up * (high - low)


def _ink(cmap):
    """Colour of marks on a map, and their outline."""
    return {"color": "#202020"} if cmap in (SIGNED, RECEDING, APPROACHING) else {"color": "white", "path_effects": OUTLINE}


def _draw_bar(axes, cube, sky, ink):
    length, text = sky.bar(cube)
    if axes.get_position().width * axes.figure.get_size_inches()[0] < 1.3:
        text = text.split(",")[0]  # the axes have the angle
    right, low = _place_on(axes, sky, 0.95, 0.06)
    end = right + length if sky.extent[0] > sky.extent[1] else right - length
    outline = {"path_effects": BAR_OUTLINE} if "path_effects" in ink else {}
    axes.plot([end, right], [low, low], lw=BAR, solid_capstyle="butt", **{**ink, **outline})
    axes.annotate(
        text, (right, low), (0, 3), textcoords="offset points", ha="right", va="bottom", fontsize=6.5, **ink
    )


def _draw_beam(axes, cube, sky, ink):
    """Its angle runs from north to east: to the left on the sky, the direction of increasing x."""
    major, minor, angle = (part.to_value(unit) for part, unit in zip(cube.beam, (sky.unit, sky.unit, u.deg)))
    left, low = _place_on(axes, sky, 0.06, 0.06)
    # half the extent of a turned ellipse
    turned = np.radians(angle)
    wide = 0.5 * np.hypot(major * np.sin(turned), minor * np.cos(turned))
    tall = 0.5 * np.hypot(major * np.cos(turned), minor * np.sin(turned))
    middle = (left - wide, low + tall)
    colours = {"facecolor": "#80808080", "edgecolor": ink["color"], "path_effects": ink.get("path_effects")}
    axes.add_patch(Ellipse(middle, minor, major, angle=-angle, lw=0.8, zorder=3, **colours))


def draw_map(axes, values, cube, marks="bar beam", labels=True, **options):
    """An image with its axes; `marks` are 'bar' and 'beam'."""
    sky = Sky(cube)
    aspect = "equal" if sky.true else "auto"
    drawn = axes.imshow(values, origin="lower", extent=sky.extent, interpolation="nearest", aspect=aspect, **options)
    axes.set_autoscale_on(False)
    inches = np.array(axes.get_position().size) * axes.figure.get_size_inches()
    for axis, number in zip((axes.xaxis, axes.yaxis), inches / (0.35, 0.3)):
        number = int(np.clip(number, 1, 4))
        axis.set_major_locator(MaxNLocator(number, prune="both", min_n_ticks=1))  # ends would meet the neighbour's
    axes.tick_params(color="#808080")
    if "bar" in marks:
        _draw_bar(axes, cube, sky, _ink(options.get("cmap")))
    if "beam" in marks and cube.beam:
        _draw_beam(axes, cube, sky, _ink(options.get("cmap")))
    if labels:
        axes.set_xlabel(label(sky.labels[0], sky.name))
        axes.set_ylabel(label(sky.labels[1], sky.name))
    return drawn


def _top(finite, far=5):
    """The upper end of a brightness scale: the brightest pixel, unless a few (a star) are `far` times above all
    others."""
    if not finite.size or not finite.max() > 0:
        return 0.0
    lit = finite[finite > 1e-6 * finite.max()]
    usual = float(np.percentile(lit, 99.5))
    return usual if lit.size >= 100 and finite.max() > far * usual else float(finite.max())


def scale_of(values):
    """Typical size of the values shown in a map."""
    finite = np.abs(values[np.isfinite(values)])
    return _top(finite) if (values >= 0).all() else float(finite.max(initial=0.0))


def colours_of(values, stretch=None):
    """{cmap, norm} for brightness: from zero up; both signs about zero; logarithmic if few pixels are bright, or on
    request."""
    values = np.asarray(values, dtype=float)
    finite = values[np.isfinite(values)]
    top, low = (float(finite.max()), float(finite.min())) if finite.size else (1.0, 0.0)
    if stretch not in (None, "linear", "log"):
        raise ValueError(f"stretch '{stretch}': write 'linear' or 'log'")
    if -low > 0.1 * max(top, 0.0) and low < 0:
        most = max(abs(low), abs(top))
        return {"cmap": SIGNED, "norm": Normalize(-most, most)}
    if top <= 0:
        return {"cmap": BRIGHTNESS, "norm": Normalize(0.0, 1.0)}
    top = _top(finite)
    lit = finite[finite > 1e-3 * top]
    if stretch is None:
        stretch = "log" if top > 12 * np.percentile(lit, 75) else "linear"
    if stretch == "log":
        top = _top(finite, 50)
        return {"cmap": BRIGHTNESS, "norm": LogNorm(1e-2 * top, top)}
    return {"cmap": BRIGHTNESS, "norm": Normalize(0.0, top)}


def beyond(values, norm):
    """Which ends of a colour bar are arrows: 'min' only on a logarithmic scale, whose lower end is arbitrary."""
    below = isinstance(norm, LogNorm) and np.nanmin(values) < norm.vmin
    above = np.nanmax(values) > norm.vmax * (1 + 1e-6)
    return {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}[below, above]


def clip(values, norm):
    """A logarithm has no zero: values below the scale get its lowest colour."""
    return np.maximum(values, norm.vmin) if isinstance(norm, LogNorm) else values


def brightness_name(cube):
    return "brightness temperature" if str(cube.unit) == "K" else "brightness"


def _bar_above(axes, drawn, text, extend="neither"):
    """A colour bar on top of a map, whose label is the title."""
    bar = axes.figure.colorbar(drawn, ax=axes, location="top", pad=0.02, fraction=0.05, aspect=22, extend=extend)
    finish_bar(bar, text, 5)


def finish_bar(bar, text, ticks=5):
    """Label and ticks. Those near the ends of a horizontal bar would overlap the next one's."""
    bar.set_label(text)
    bar.outline.set_linewidth(0.5)
    low, high = bar.norm.vmin, bar.norm.vmax
    if isinstance(bar.norm, LogNorm):
        return
    places = MaxNLocator(ticks, min_n_ticks=min(ticks, 3)).tick_values(low, high)
    room = 0.07 * (high - low) if bar.orientation == "horizontal" else 0.0
    inside = [place for place in places if low + room <= place <= high - room]
    bar.set_ticks(inside if len(inside) > 1 else [place for place in places if low <= place <= high])


# ---- moments ----


def sky_note(cube):
    """Moments of a cube that includes the sky background are not those of the line."""
    return ", with the sky" if cube.background.value > 0 and not cube.background_subtracted else ""


def _velocity_colours(velocities, systemic, step):
    """{cmap, norm} of mean velocities (km/s): white is the systemic velocity (the median if it is not known), red
    recedes and blue approaches. Where all of the gas recedes, or approaches, only shades of that colour."""
    if not velocities.size:
        return {"cmap": SIGNED, "norm": Normalize(-step, step)}
    middle = float(np.median(velocities)) if systemic is None else systemic.value
    low, high = float(velocities.min()), float(velocities.max())
    some = 0.25 * step  # less than that is no difference
    if low > middle + some or high < middle - some:
        return {"cmap": RECEDING if low > middle else APPROACHING, "norm": Normalize(low, max(high, low + some))}
    reach = max(float(np.percentile(np.abs(velocities - middle), 99)), some)
    return {"cmap": SIGNED, "norm": Normalize(middle - reach, middle + reach)}


def _moment_colours(cube, order, note=""):
    """(values, label, options) of a moment map."""
    values = np.array(cube.moment(order).value, dtype=float)
    if order == 0:
        factor, text = readable(scale_of(values), cube.unit)
        values = values * factor
        return values, label(f"moment 0{note}", f"{text} km/s"), colours_of(values, "linear")
    bright = np.abs(np.asarray(cube.moment(0).value, dtype=float))
    values[~(bright > MASK * _top(bright[np.isfinite(bright)]))] = np.nan
    finite = values[np.isfinite(values)]
    step = abs(cube.channel_width.value)
    if order == 1:
        options = _velocity_colours(finite, cube.systemic_velocity, step)
    else:
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, step)
        low = min(low, high - 0.1 * step)  # less than that is no difference
        options = {"cmap": WIDTHS, "norm": Normalize(max(low, 0.0), high)}
    return values, label(f"moment {order}{note}", "km/s"), options


@styled
@of_cube
def moment(cube, order, axes=None, marks="bar beam", labels=True):
    """A moment map with its scale. Pixels with less than 2 % of the brightest one's integral are grey in moments 1
    and 2. White in moment 1 is the systemic velocity (image.velocity), or the median if all pixels lie on one side of
    it. Returns the axes.

    Parameters
    ----------
    cube : Cube
        Such as ``result.cube()``, or a result, whose first camera is shown. Required.
    order : int
        0 (integral over velocity), 1 (mean velocity) or 2 (velocity dispersion). Required.
    axes : matplotlib axes
        To draw into. Default: those of a new figure.
    marks : str
        What to mark, by default 'bar beam': a scale bar and the beam.
    labels : bool
        Label the axes. Default: True.
    """
    axes = new_axes(axes, (COLUMN, COLUMN * min(max(Sky(cube).aspect, 0.5), 1.5) + 0.6))
    values, text, options = _moment_colours(cube, order, sky_note(cube))
    axes.set_facecolor(FAINT)
    drawn = draw_map(axes, values, cube, marks, labels, **options)
    _bar_above(axes, drawn, text, beyond(values, options["norm"]) if order == 0 else "neither")
    return axes


@styled
@of_cube
def moments(cube):
    """All three moments side by side. Returns the figure.

    Parameters
    ----------
    cube : Cube
        Such as ``result.cube()``, or a result, whose first camera is shown. Required.
    """
    figure = new_figure(PAGE, row_size(cube, 3)[-1])
    draw_row(figure, cube, 0.0, [lambda axes, k=k: draw_moment(axes, cube, k, sky_note(cube)) for k in range(3)])
    return figure


def draw_moment(axes, cube, order, note=""):
    """A moment: (drawn, label)."""
    values, text, options = _moment_colours(cube, order, note)
    axes.set_facecolor(FAINT)
    return draw_map(axes, values, cube, marks="bar beam" if order == 0 else "", **options), text


def row_size(cube, number):
    """(room for a map, its width and height, height of the row with colour bars and labels), inches."""
    room = (PAGE - 0.6 - 0.12) / max(number, 2) - 0.2
    aspect = Sky(cube).aspect
    wide = min(room, 3.0 / aspect)
    return room, wide, wide * aspect, wide * aspect + 0.92


def draw_row(figure, cube, top, draws):
    """Maps that share their axes, each with its scale above. `draws` give (drawn, label) of axes."""
    room, wide, tall, _ = row_size(cube, len(draws))
    for k, draw in enumerate(draws):
        left = 0.6 + k * (room + 0.2)
        axes = place(figure, left, top + 0.46, wide, tall)
        drawn, text = draw(axes)
        bar = figure.colorbar(drawn, cax=place(figure, left, top + 0.35, wide, 0.08), orientation="horizontal")
        finish_bar(bar, text, int(np.clip(wide / 0.45, 1, 4)))
        bar.ax.xaxis.set_ticks_position("top")
        bar.ax.xaxis.set_label_position("top")
        if k > 0:
            axes.set_ylabel("")
            axes.tick_params(labelleft=False)


@styled
@of_cube
def peak(cube, axes=None):
    """The largest value along the velocity axis. Returns the axes.

    Parameters
    ----------
    cube : Cube
        Such as ``result.cube()``, or a result, whose first camera is shown. Required.
    axes : matplotlib axes
        To draw into. Default: those of a new figure.
    """
    axes = new_axes(axes, (COLUMN, COLUMN * min(max(Sky(cube).aspect, 0.5), 1.5) + 0.6))
    values, text = of_scale(cube.peak.value, "peak", cube.unit)
    options = colours_of(values)
    drawn = draw_map(axes, clip(values, options["norm"]), cube, **options)
    _bar_above(axes, drawn, text, beyond(values, options["norm"]))
    return axes


# ---- channels ----


def _signal(cube):
    """Emission in each channel above (or, in absorption, below) the continuum of each pixel."""
    values = np.nan_to_num(np.asarray(cube.data.value, dtype=float))
    ends = 0.5 * (values[0] + values[-1])
    low, high = values.min(axis=0), values.max(axis=0)
    absorbed = (ends - low).sum() > (high - ends).sum()
    return ((high - values) if absorbed else (values - low)).sum(axis=(1, 2))


def choose_channels(cube, number=12, velocities=None):
    """Channels at these velocities (plain numbers are km/s), or at most `number` in equal steps over those that contain
    the line."""
    if velocities is not None:
        wanted = np.atleast_1d(u.Quantity(velocities, u.km / u.s).value)
        edges = cube.velocity.value - 0.5 * cube.channel_width.value
        with np.errstate(over="ignore"):
            found = (wanted - edges[0]) / cube.channel_width.value + 1e-9
        if not (found.size and np.all(found >= 0) and np.all(found < cube.shape[0])):  # nan is neither
            ends = edges[0], edges[-1] + cube.channel_width.value
            raise ValueError(f"no channel at one of these velocities; channels run from {ends[0]:g} to {ends[1]:g} "
                             "km/s")
        return list(np.floor(found).astype(int))
    if number < 1:
        raise ValueError(f"{number} channels: at least one is needed")
    light = _signal(cube)
    lit = np.flatnonzero(light > 0.02 * light.max()) if light.max() > 0 else np.arange(len(light))
    first, last = int(lit[0]), int(lit[-1])
    step = -(-(last - first + 1) // number)
    rest = (last - first) % step
    return list(range(first + rest // 2, last + 1, step))


def _velocity_texts(velocities):
    """With enough decimals to distinguish them."""
    apart = np.min(np.abs(np.diff(np.sort(velocities)))) if len(velocities) > 1 else 0.1 * (abs(velocities[0]) or 10)
    for digits in range(5):
        if np.max(np.abs(np.round(velocities, digits) - velocities)) <= 0.05 * apart:
            break
    return [f"{v + 0.0:.{digits}f} km/s".replace("-", "\N{MINUS SIGN}") for v in np.round(velocities, digits)]


def write_velocity(axes, text, cmap):
    axes.text(0.05, 0.95, text, transform=axes.transAxes, va="top", fontsize=7, **_ink(cmap))


def columns_of(number, aspect):
    """Few empty panels, and a page that is not too tall."""
    wanted = float(np.clip(4 * np.sqrt(aspect), 2, 6))
    return min(range(1, min(number, 6) + 1), key=lambda n: (-number % n) + 1.2 * abs(n - min(wanted, number)))


def grid_size(cube, number, width, columns=None):
    """(columns, rows, width and height of a map, height of the whole), inches."""
    aspect = Sky(cube).aspect
    columns = columns or columns_of(number, aspect)
    rows = -(-number // columns)
    wide = (width - 0.6 - 0.7) / columns
    tall = wide * aspect
    return columns, rows, wide, tall, rows * tall + 0.38 + 0.05


def draw_grid(figure, cube, planes, texts, name, unit, top=0.0, columns=None, beam=True, **colours):
    """Adjoining maps on one scale, with a colour bar on the right."""
    width, height = figure.get_size_inches()
    columns, rows, wide, tall, _ = grid_size(cube, len(planes), width, columns)
    norm = colours.pop("norm")
    for k, (plane, text) in enumerate(zip(planes, texts)):
        row, column = divmod(k, columns)
        axes = place(figure, 0.6 + column * wide, top + 0.05 + row * tall, wide - 0.04, tall - 0.04)
        corner = row == rows - 1 and column == 0
        marks = ("bar beam" if beam else "bar") if corner else ""
        drawn = draw_map(axes, clip(plane, norm), cube, marks, labels=corner, norm=norm, **colours)
        last = k + columns >= len(planes)  # nothing below
        axes.tick_params(labelbottom=last, labelleft=column == 0)
        write_velocity(axes, text, colours["cmap"])
    tall_bar = min(rows * tall - 0.04, 3.0)
    cax = place(figure, 0.6 + columns * wide + 0.06, top + 0.05 + 0.5 * (rows * tall - 0.04 - tall_bar), 0.1, tall_bar)
    finish_bar(figure.colorbar(drawn, cax=cax, extend=beyond(planes, norm)), label(name, unit))


def channel_planes(cube, number=12, velocities=None, stretch=None):
    """What a grid of channel maps shows: {planes, texts, name, unit, cmap, norm}."""
    shown = choose_channels(cube, number, velocities)
    planes = np.asarray(cube.data.value[shown], dtype=float)
    factor, unit = readable(scale_of(planes), cube.unit)
    return {
        "planes": planes * factor,
        "texts": _velocity_texts(cube.velocity.value[shown]),
        "name": brightness_name(cube),
        "unit": unit,
        **colours_of(planes * factor, stretch),
    }


@styled
@of_cube
def channel_maps(cube, number=12, velocities=None, stretch=None):
    """Channels on one scale, with a scale bar and the beam. Returns the figure.

    Parameters
    ----------
    cube : Cube
        Such as ``result.cube()``, or a result, whose first camera is shown. Required.
    number : int
        At most this many channels. Default: 12.
    velocities : list of velocities
        Show the channels at these velocities; plain numbers are in km/s. Default: evenly over the line.
    stretch : str
        'linear' or 'log'. Default: whichever suits the image.
    """
    shown = channel_planes(cube, number, velocities, stretch)
    return _grid_figure(cube, **shown)


def _grid_figure(cube, planes, **options):
    width = PAGE if len(planes) > 1 else COLUMN
    figure = new_figure(width, grid_size(cube, len(planes), width)[-1])
    draw_grid(figure, cube, planes, **options)
    return figure


def depth_colours(values):
    """Logarithmic; symmetric about zero if a maser makes some of it negative."""
    top, low = float(np.nanmax(values)), float(np.nanmin(values))
    if low < 0:
        most = max(top, -low)
        return {"cmap": SIGNED, "norm": Normalize(-most, most)}
    return {"cmap": WIDTHS, "norm": LogNorm(1e-3 * top, top) if top > 0 else Normalize(0.0, 1.0)}


def draw_channel(axes, cube, channel):
    """One channel: (drawn, label)."""
    values, text = of_scale(cube.data.value[channel], brightness_name(cube), cube.unit)
    colours = colours_of(values)
    return draw_map(axes, clip(values, colours["norm"]), cube, **colours), text


@styled
@of_cube
def optical_depth(cube, number=12, velocities=None):
    """Channels of the optical depth through the mesh, without a beam. Returns the figure.

    Parameters
    ----------
    cube : Cube
        Such as ``result.cube()``, or a result, whose first camera is shown. Required.
    number : int
        At most this many channels. Default: 12.
    velocities : list of velocities
        Show the channels at these velocities; plain numbers are in km/s. Default: evenly over the line.
    """
    if cube.optical_depth is None:
        raise ValueError("no optical depth; run with image.optical_depth")
    shown = choose_channels(cube, number, velocities)
    planes = np.asarray(cube.optical_depth[shown], dtype=float)
    texts = _velocity_texts(cube.velocity.value[shown])
    return _grid_figure(
        cube, planes, texts=texts, name="optical depth", unit="", beam=False, **depth_colours(planes)
    )


def draw_depth(axes, cube):
    """The largest optical depth of a channel: (drawn, label)."""
    values = np.asarray(cube.optical_depth, dtype=float)
    top, low = values.max(axis=0), values.min(axis=0)
    values = np.where(-low > top, low, top)
    colours = depth_colours(values)
    return draw_map(axes, clip(values, colours["norm"]), cube, "", **colours), "largest optical depth"
