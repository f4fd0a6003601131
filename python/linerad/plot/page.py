"""Whole pages: everything in a result, and several lines of one object. A page is a column of blocks, each of
them (height in inches, function of figure and top that draws it)."""

import numpy as np

from . import levels, maps, spectra
from .style import COLUMN, INKS, PAGE, count, label, line_name, new_figure, of_result, of_results, place, styled

HEAD, PANEL = 0.3, 1.45  # inches: the line of facts, and the height of a diagram


def _cells(result):
    mesh = result.mesh
    if mesh["kind"] == "amr":
        return int(len(mesh["level"]) * np.prod(mesh["brick"].value))
    edges = [value for key, value in mesh.items() if key.endswith("_edges")]
    return int(np.prod([len(edge) - 1 for edge in edges])) if edges else 0


def _facts(result, cube):
    """Facts about the run, the most important first."""
    words = [line_name(result, cube)]
    cells = _cells(result)
    if cells:
        words.append(count(cells, "shell" if result.mesh["kind"] == "shells" else "cell"))
    if result.summary.packets:
        words.append(count(result.summary.packets, "packet"))
    found = result.populations
    if found is not None and found.iterations:
        words.append(count(found.iterations, "iteration") + ("" if found.converged else ", not converged"))
    if cube is not None:
        others = len(result.cameras) - 1
        words.append(f"camera '{cube.camera}'" + (f" (and {others} more)" if others else ""))
        words.append(maps.sky_note(cube).strip(", "))
        words.append("" if np.any(cube.data.value) else "no light")
    return [word for word in words if word]


def _write_head(figure, words):
    """As many facts as fit on one line."""
    width, height = figure.get_size_inches()
    while len("  ·  ".join(words)) > 17 * width and len(words) > 1:
        words = words[:-1]
    figure.text(0.1 / width, 1 - 0.1 / height, "  ·  ".join(words), va="top", fontsize=8, color="#404040")


def _diagrams(result, cube):
    """[(title, draw)] of diagrams that are not maps."""
    found = []
    if cube is not None and cube.shape[0] > 1:
        title = "spectrum of the image" + ("" if cube.error is None else r", $\pm\,1\,\sigma$")
        found.append((title, lambda axes: spectra.image_spectrum(cube, axes)))
    if result.spectrum is not None:
        found.append((r"escaped spectrum, $\pm\,1\,\sigma$", lambda axes: spectra.spectrum(result, axes)))
    if levels.has_history(result):
        found.append((f"populations by {result.populations.method}", lambda axes: levels.convergence(result, axes)))
    if result.populations is not None and result.populations.excitation_temperature is not None:
        found.append(("excitation of the line", lambda axes: levels.excitation(result, axes)))
    return found


def _diagram_block(diagrams, width=PAGE):
    """Rows of up to three diagrams; four make two rows."""
    columns = 2 if len(diagrams) == 4 else min(3, len(diagrams))
    rows, room = -(-len(diagrams) // columns), width / columns

    def draw(figure, top):
        for k, (title, draw_one) in enumerate(diagrams):
            row, column = divmod(k, columns)
            axes = place(figure, column * room + 0.6, top + 0.2 + row * (PANEL + 0.65), room - 0.75, PANEL)
            draw_one(axes)
            axes.set_title(title, pad=3)

    return rows * (PANEL + 0.65) + 0.02, draw


def _grid_block(cube, number, velocities, stretch):
    shown = maps.channel_planes(cube, number, velocities, stretch)
    columns = min(maps.columns_of(len(shown["planes"]), maps.Sky(cube).aspect), len(shown["planes"]))
    height = maps.grid_size(cube, len(shown["planes"]), PAGE, columns)[-1]
    return height + 0.04, lambda figure, top: maps.draw_grid(figure, cube, top=top, columns=columns, **shown)


def _map_block(cube):
    draws = [lambda axes, k=k: maps.draw_moment(axes, cube, k) for k in range(3)]
    if cube.shape[0] == 1:
        draws = [lambda axes: maps.draw_channel(axes, cube, 0)]
    if cube.optical_depth is not None:
        draws.append(lambda axes: maps.draw_depth(axes, cube))
    return maps.row_size(cube, len(draws))[-1], lambda figure, top: maps.draw_row(figure, cube, top, draws)


@styled
@of_result
def quicklook(result, camera=None, number=8, velocities=None, stretch=None, title=None):
    """Everything in the result, on one page: channel maps, moments and optical depth of a camera, spectra with errors,
    convergence and excitation. Returns the figure.

    Parameters
    ----------
    result : Result
        Of a run. Required.
    camera : str or int
        Its name, or its number from 0. Default: the first.
    number : int
        At most this many channels. Default: 8.
    velocities : list of velocities
        Show the channels at these velocities; plain numbers are in km/s. Default: evenly over the line.
    stretch : str
        'linear' or 'log'. Default: whichever suits the image.
    title : str
        Precedes the facts about the run. Default: none.
    """
    cube = result.cube(camera) if result.cameras else None
    blocks = []
    if cube is not None:
        if cube.shape[0] > 1:
            blocks.append(_grid_block(cube, number, velocities, stretch))
        blocks.append(_map_block(cube))
    diagrams = _diagrams(result, cube)
    width = PAGE if cube is not None or len(diagrams) > 1 else COLUMN
    if diagrams:
        blocks.append(_diagram_block(diagrams, width))
    if not blocks:
        raise ValueError("nothing to plot: no packets, no images, no iterations")
    figure = new_figure(width, HEAD + sum(height for height, _ in blocks))
    _write_head(figure, ([title] if title else []) + _facts(result, cube))
    top = HEAD
    for height, draw in blocks:
        draw(figure, top)
        top += height
    return figure


# ---- several lines ----


def _line_row(figure, top, result, cube, shown, ink, alike, last):
    """Channel maps of one line, their scale, and the spectrum; returns its axes. Maps have no labels along x if those
    below are `alike`; spectra, which share their velocities, only in the last row."""
    sky, number = maps.Sky(cube), len(shown["planes"])
    wide, tall = _line_map(sky, number)
    norm = shown["norm"]
    for k, (plane, text) in enumerate(zip(shown["planes"], shown["texts"])):
        axes = place(figure, 0.6 + k * wide, top + 0.2, wide - 0.04, tall)
        marks = "bar beam" if k == 0 else ""
        drawn = maps.draw_map(axes, maps.clip(plane, norm), cube, marks, k == 0, cmap=shown["cmap"], norm=norm)
        maps.write_velocity(axes, text, shown["cmap"])
        axes.tick_params(labelbottom=not alike, labelleft=k == 0)
        if alike:
            axes.set_xlabel("")
        if k == 0:
            axes.set_title(line_name(result, cube), loc="left", color=ink, pad=3)
    after = 0.6 + number * wide
    cax = place(figure, after + 0.02, top + 0.2, 0.09, tall)
    name = r"$T_\mathrm{B}$" if str(cube.unit) == "K" else shown["name"]
    bar = figure.colorbar(drawn, cax=cax, extend=maps.beyond(shown["planes"], norm))
    maps.finish_bar(bar, label(name, shown["unit"]))
    axes = place(figure, after + 1.12, top + 0.2, PAGE - after - 1.12 - 0.12, tall)
    spectra.image_spectrum(cube, axes, ink)
    axes.tick_params(labelbottom=last)
    if not last:
        axes.set_xlabel("")
    return axes


def _line_map(sky, number):
    """Width and height of a channel map: three of them and a spectrum fill the page."""
    wide = min((PAGE - 0.6 - 1.12 - 1.55) / number, 1.6)
    return wide, min((wide - 0.04) * sky.aspect, 3.0)


@styled
@of_results
def lines(results, camera=None, velocities=None, number=3, stretch="log"):
    """Several lines of one object, one row each: channel maps at the same velocities, each line on its own scale, and
    the spectra of the images, which share their velocities. Returns the figure.

    Parameters
    ----------
    results : list of Result
        One for each line. Required.
    camera : str or int
        Its name, or its number from 0. Default: the first.
    velocities : list of velocities
        Show the channels at these velocities; plain numbers are in km/s. Default: evenly over the first line.
    number : int
        At most this many channels. Default: 3.
    stretch : str
        'linear' or 'log'. Default: 'log'.
    """
    cubes = [result.cube(camera) for result in results]
    if velocities is None:
        shown = cubes[0].velocity.value[maps.choose_channels(cubes[0], number)]
        velocities = [float(f"{velocity:.4g}") for velocity in shown]
    planes = [maps.channel_planes(cube, number, velocities, stretch) for cube in cubes]
    skies = [maps.Sky(cube) for cube in cubes]
    alike = [(a.unit, a.extent) == (b.unit, b.extent) for a, b in zip(skies, skies[1:])] + [False]
    tall = [_line_map(sky, len(planes[0]["texts"]))[1] + (0.22 if same else 0.64) for sky, same in zip(skies, alike)]
    figure = new_figure(PAGE, sum(tall) + 0.03)
    top, drawn = 0.03, []
    for k, (result, cube) in enumerate(zip(results, cubes)):
        last = k == len(cubes) - 1
        drawn.append(_line_row(figure, top, result, cube, planes[k], INKS[k % len(INKS)], alike[k], last))
        top += tall[k]
    spectra.share_velocities(drawn)
    return figure
