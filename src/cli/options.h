/* getopt_long() with its own error messages: one line that names the option and the nearest valid one. */
#ifndef LINERAD_CLI_OPTIONS_H
#define LINERAD_CLI_OPTIONS_H

#include <getopt.h>

/* The next option of the command named argv[0], -1 after the last; '?' if an error line was printed. Short options in
 * `brief` start with a colon. */
int options_next(int argc, char **argv, const char *brief, const struct option *list);
/* The one file name left after the options; NULL after an error line. `what` describes it in that line. */
const char *options_single(int argc, char **argv, const char *what);

#endif
