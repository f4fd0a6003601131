"""python -m linerad plot RESULT.h5 and python -m linerad view RESULT.h5. Other commands go to `linerad`."""

import argparse
import math
import os
import sys
from pathlib import Path

KINDS = ("quicklook", "spectrum", "image-spectrum", "channels", "moments", "pv", "depth", "convergence", "excitation")
HELP = """\
usage: python -m linerad plot RESULT.h5 [options]    plot results (see plot --help)
       python -m linerad view RESULT.h5 [options]    write an interactive page of cubes
       python -m linerad COMMAND ...                 like the linerad command, if the package is installed

This package is used from source, without the command; use build/linerad for the others."""


def draw(results, options):
    from . import plot

    result, camera = results[0], options.camera
    if len(results) > 1 and options.kind == "image-spectrum":
        return plot.line_spectra(results, camera).figure
    if len(results) > 1:
        return plot.lines(results, camera, options.velocities, options.channels or 3, options.stretch or "log")
    if options.kind == "quicklook":
        number = options.channels or 8
        title = Path(options.result[0]).name
        return plot.quicklook(result, camera, number, options.velocities, options.stretch, title)
    if options.kind in ("spectrum", "convergence", "excitation"):
        return getattr(plot, options.kind)(result).figure
    cube, number = result.cube(camera), options.channels or 12
    if options.kind == "image-spectrum":
        return plot.image_spectrum(cube).figure
    if options.kind == "channels":
        return plot.channel_maps(cube, number, options.velocities, options.stretch)
    if options.kind == "pv":
        return plot.pv(cube, options.angle, options.width, stretch=options.stretch).figure
    return plot.moments(cube) if options.kind == "moments" else plot.optical_depth(cube, number, options.velocities)


def whole_number(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number, 1 or more, found '{text}'")
    return int(text)


def velocity(text):
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a velocity in km/s; give result files first") from None


def finite_number(text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"expected a number of degrees, found '{text}'")
    return value


class Parser(argparse.ArgumentParser):
    def error(self, message):
        """One line, as in the other commands."""
        print(f"linerad: error: {message}; see '{self.prog} --help'", file=sys.stderr)
        sys.exit(2)


def plot_parser():
    parser = Parser(prog="linerad plot", description="Plots of linerad results.", allow_abbrev=False)
    parser.add_argument("result", nargs="+", help="result file (HDF5); several are treated as lines of the same object")
    parser.add_argument("-o", "--output", metavar="FILE", help="PNG, PDF or SVG (name of the first result with .png)")
    parser.add_argument("--kind", choices=KINDS, help="what to plot (quicklook)")
    parser.add_argument("--camera", metavar="NAME", help="camera to plot (the first)")
    parser.add_argument("--channels", metavar="N", type=whole_number, help="maximum number of channel maps (12)")
    parser.add_argument("--velocities", metavar="V", type=velocity, nargs="+", help="channels at these, in km/s")
    parser.add_argument("--angle", metavar="DEG", type=finite_number, help="position angle of a pv cut (along x)")
    parser.add_argument("--width", metavar="N", type=whole_number, default=1, help="pixels across a pv cut (1)")
    parser.add_argument("--stretch", choices=("linear", "log"), help="colour stretch (whichever suits the image)")
    parser.add_argument("--dpi", metavar="N", type=float, default=200, help="dots per inch of a PNG (200)")
    return parser


def command_plot(arguments):
    options = plot_parser().parse_args(arguments)
    if len(options.result) > 1 and options.kind not in (None, "image-spectrum"):
        print("linerad: error: with several results, --kind can only be image-spectrum; they are plotted as lines of "
              "the same object", file=sys.stderr)
        return 2
    options.kind = options.kind or "quicklook"
    try:
        import matplotlib
    except ImportError:
        print("linerad: error: plots need matplotlib: \"pip install 'linerad[plot]'\"", file=sys.stderr)
        return 2
    matplotlib.use("Agg")
    from . import errors, plot
    from .result import Result

    output = options.output or Path(options.result[0]).stem + ".png"
    try:
        plot.style.check_format(output)  # before the work
        plot.save(draw([Result.load(path) for path in options.result], options), output, options.dpi)
    except (errors.Error, ValueError, KeyError, OSError) as failure:
        text = failure.args[0] if isinstance(failure, KeyError) else failure
        print(f"linerad: error: {text}", file=sys.stderr)
        return 2
    print(output)
    return 0


def view_parser():
    parser = Parser(prog="linerad view", description="An interactive page of cubes.", allow_abbrev=False)
    parser.add_argument("source", nargs="+", help="result (HDF5) or cube (FITS)")
    parser.add_argument("-o", "--output", metavar="FILE", help="the page (name of the first file with .html)")
    parser.add_argument("--camera", metavar="NAME", help="only this camera of a result (all)")
    parser.add_argument("--open", action="store_true", help="show the page in the browser")
    return parser


def command_view(arguments):
    options = view_parser().parse_args(arguments)
    from . import errors
    from .view import view

    output = options.output or Path(options.source[0]).stem + ".html"
    try:
        view(*options.source, camera=options.camera).save(output)
    except (errors.Error, OSError) as failure:
        print(f"linerad: error: {failure}", file=sys.stderr)
        return 2
    print(output)
    if options.open:
        import webbrowser

        webbrowser.open(Path(output).resolve().as_uri())
    return 0


def main():
    """`linerad` of an installed package: the command of the same name, and those that Python carries out."""
    sys.stdout.reconfigure(errors="surrogateescape")  # names of files are printed as they are, whatever their bytes
    if sys.argv[1:2] == ["view"]:
        return command_view(sys.argv[2:])
    if sys.argv[1:2] == ["plot"]:
        return command_plot(sys.argv[2:])
    command = Path(__file__).resolve().parent / "bin" / "linerad"
    if command.exists():
        os.execv(command, [str(command), *sys.argv[1:]])
    if sys.argv[1:2] in (["-h"], ["--help"], ["help"]):
        print(HELP)
        return 0
    print("linerad: error: only 'plot' and 'view' are available here; install the package for the other commands",
          file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
