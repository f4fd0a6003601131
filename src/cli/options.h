/* getopt_long() with error lines of our own: one line that names the option and the nearest valid one. */
#ifndef LINERAD_CLI_OPTIONS_H
#define LINERAD_CLI_OPTIONS_H

#include <getopt.h>

/* The next option of the command named argv[0], -1 after the last; '?' when an error line was printed. Short options
 * in `brief` start with a colon. */
int options_next(int argc, char **argv, const char *brief, const struct option *list);
/* The one file name that is left when the options are read; NULL after an error line. `what` it is, for that line. */
const char *options_single(int argc, char **argv, const char *what);

#endif
