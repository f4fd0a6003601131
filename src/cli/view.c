/* linerad view: hands over to the Python package, which writes the page. */
#include <string.h>

#include "command.h"
#include "message.h"
#include "python.h"

static const char help[] =
    "linerad view: an interactive page of cubes, in one HTML file\n"
    "\n"
    "Usage: linerad view RESULT.h5|CUBE.fits ... [options]\n"
    "\n"
    "Writes a page that any browser opens from disk, without a server or a network: channels as a movie, spectra "
    "under\n"
    "the pointer, moments, position-velocity cuts and a volume that can be turned. A result gives the cubes of all "
    "its\n"
    "cameras; several files go into the same page. Prints the name of the page.\n"
    "\n"
    "Options (defaults in parentheses)\n"
    "  -o, --output FILE     the page (name of the first file with .html, in the current directory)\n"
    "  --camera NAME         only this camera of a result (all)\n"
    "  --open                show the page in the browser (off)\n"
    "  -h, --help            this text\n"
    "\n"
    "Values\n"
    "  Values are stored in 8 to 24 bits per channel, as many as fit into 15 MB (very large cubes take more). The "
    "page\n"
    "  states the largest difference from the file. Errors are shown where there are any; for CUBE.fits they are read\n"
    "  from CUBE_error.fits next to it.\n"
    "\n"
    "Python\n"
    "  The page is written by the Python package linerad (pip install . in the checkout), found as for 'linerad "
    "plot'.\n"
    "\n"
    "Examples\n"
    "  linerad view cloud_co.h5 --open\n"
    "  linerad view cloud_co_x.fits -o cloud.html\n"
    "  linerad view cloud_oh.h5 cloud_co.h5 -o lines.html\n"
    "\n"
    "Exit codes\n"
    "  0  done\n"
    "  2  error: one line on stderr\n";

int command_view(int argc, char **argv)
{
    if (argc < 2)
        return message_error("no result or cube given; see 'linerad view --help'");
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            return command_print(help);
    return python_hand_over(argc, argv, ".");
}
