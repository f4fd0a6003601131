/* linerad plot: hands over to the Python package, which does the plotting. */
#include <string.h>

#include "command.h"
#include "message.h"
#include "python.h"

static const char help[] =
    "linerad plot: plots of results\n"
    "\n"
    "Usage: linerad plot RESULT.h5 [options]\n"
    "       linerad plot RESULT.h5 RESULT.h5 ... [options]    one row per line of the same object\n"
    "\n"
    "Plots what is in the result on one page: channel maps, moments, spectra with errors, optical depth, convergence.\n"
    "Prints the name of the file.\n"
    "\n"
    "Options\n"
    "  -o, --output FILE     PNG, PDF or SVG (name of the first result with .png, in the current directory)\n"
    "  --kind KIND           quicklook, spectrum, image-spectrum, channels, moments, pv (position-velocity), depth,\n"
    "                        convergence or excitation (quicklook); several results: image-spectrum, in one diagram\n"
    "  --camera NAME         camera to plot (the first)\n"
    "  --channels N          maximum number of channel maps (12)\n"
    "  --velocities V ...    channels at these velocities, km/s (evenly over those with emission)\n"
    "  --angle DEG           pv: direction of positive offsets, from north (up) to east (left) (along x)\n"
    "  --width N             pv: average over N pixels across the cut, which runs through the image centre (1)\n"
    "  --stretch NAME        colour stretch of channel maps and pv: linear or log (whichever suits the image)\n"
    "  --dpi N               dots per inch of a PNG (200)\n"
    "  -h, --help            this text\n"
    "\n"
    "Python\n"
    "  Plots are made by the Python package linerad (pip install '.[plot]' in the checkout). The interpreter is\n"
    "  $LINERAD_PYTHON; else that of the active environment ($VIRTUAL_ENV); else .venv of the checkout, as made by\n"
    "  'make demo'; else python3. A linerad in the build folder of a checkout finds the package by itself.\n"
    "\n"
    "Examples\n"
    "  linerad plot cloud.h5\n"
    "  linerad plot cloud.h5 --kind channels --camera front -o channels.pdf\n"
    "  linerad plot disk.h5 --kind pv --angle 35 --width 3\n"
    "  linerad plot cloud_oh.h5 cloud_co.h5 --velocities -1 0 1 -o cloud.png\n"
    "\n"
    "Exit codes\n"
    "  0  done\n"
    "  2  error: one line on stderr\n";

int command_plot(int argc, char **argv)
{
    if (argc < 2)
        return message_error("no result given; see 'linerad plot --help'");
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            return command_print(help);
    return python_hand_over(argc, argv, ".[plot]");
}
