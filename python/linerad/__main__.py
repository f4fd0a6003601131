"""python -m linerad plot RESULT.h5 [-o PICTURE.png]: a picture of a result. Other words go to the command `linerad`."""

import argparse
import os
import sys
from pathlib import Path

KINDS = ("quicklook", "spectrum", "channels", "moments", "depth", "convergence")


def draw(result, kind, camera, number):
    from . import plot

    if kind == "quicklook":
        return plot.quicklook(result, camera)
    if kind == "spectrum":
        return plot.spectrum(result).figure
    if kind == "convergence":
        return plot.convergence(result).figure
    cube = result.cube(camera)
    if kind == "channels":
        return plot.channel_maps(cube, number)
    return plot.moments(cube) if kind == "moments" else plot.optical_depth(cube, number)


def command_plot(arguments):
    parser = argparse.ArgumentParser(prog="linerad plot", description="A picture of a result of linerad.")
    parser.add_argument("result", help="result file (HDF5)")
    parser.add_argument("-o", "--output", help="picture; PNG, PDF or SVG (default: the name of the result with .png)")
    parser.add_argument("--kind", choices=KINDS, default="quicklook", help="what to draw (default: quicklook)")
    parser.add_argument("--camera", help="whose image (default: the first)")
    parser.add_argument("--channels", type=int, default=9, help="how many maps at most (default: 9)")
    options = parser.parse_args(arguments)
    import matplotlib

    matplotlib.use("Agg")
    from . import errors
    from .result import Result

    output = options.output or str(Path(options.result).with_suffix(".png").name)
    try:
        figure = draw(Result.load(options.result), options.kind, options.camera, options.channels)
        figure.savefig(output, dpi=150)
    except (errors.Error, ValueError, KeyError, OSError) as failure:
        text = failure.args[0] if isinstance(failure, KeyError) else failure
        print(f"linerad: error: {text}", file=sys.stderr)
        return 2
    print(output)
    return 0


def main():
    """`linerad` of an installed package: the command of the same name, and `plot`."""
    if sys.argv[1:2] == ["plot"]:
        return command_plot(sys.argv[2:])
    command = Path(__file__).resolve().parent / "bin" / "linerad"
    if command.exists():
        os.execv(command, [str(command), *sys.argv[1:]])
    print(
        "linerad: error: only 'plot' is known here; the other commands come with an installed package", file=sys.stderr
    )
    return 2


if __name__ == "__main__":
    sys.exit(main())
