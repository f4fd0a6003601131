/* getopt_long() with its own error messages: one line that names the option and the nearest valid one. */
#ifndef LINERAD_CLI_OPTIONS_H
#define LINERAD_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "settings.h"

/* The next option of the command named argv[0], -1 after the last; '?' if an error line was printed. Short options in
 * `brief` start with a colon. */
int options_next(int argc, char **argv, const char *brief, const struct option *list);
/* The switches that several commands have. */
struct switches {
    bool json, one_line, quiet, help; /* one_line: --json=line */
};

/* The options of a command, and how it reads one of them. */
struct options {
    const char *brief;
    const struct option *list;
    int (*read)(void *request, int option); /* its value is optarg; returns an exit code, EXIT_ERROR for '?' */
};

/* Reads all options into the request: the switches 'j', 'q' and 'h' here, any other as the command reads it. Returns an
 * exit code, and stops at the first error and at --help. */
int options_read(int argc, char **argv, const struct options *options, void *request, struct switches *switches);
/* Options of all commands that follow packets of a model, each short for a setting of it: part of a list. */
#define OPTION_OF_RUNS(name, letter)                                                                                   \
    {                                                                                                                  \
        name, required_argument, NULL, letter                                                                          \
    }
#define OPTIONS_OF_RUNS                                                                                                \
    OPTION_OF_RUNS("packets", 'n'), OPTION_OF_RUNS("seed", 'r'), OPTION_OF_RUNS("threads", 't'),                       \
        OPTION_OF_RUNS("device", 'd'), OPTION_OF_RUNS("precision", 'p')

/* Adds the setting that such an option is short for; EXIT_ERROR for any other option. */
int options_add_setting(struct settings *short_hands, int option);
/* The one file name left after the options; NULL after an error line. `what` describes it in that line. */
const char *options_single(int argc, char **argv, const char *what);

#endif
