/* The request to `linerad run`: the model file, the lines of it to run, and the names of the files to write. */
#ifndef LINERAD_CLI_RUN_REQUEST_H
#define LINERAD_CLI_RUN_REQUEST_H

#include <stdbool.h>

#include "linerad.h"
#include "lines.h"
#include "options.h"
#include "settings.h"

struct run_request {
    const char *model;
    const char *line; /* the only line requested; NULL = all */
    char *output;
    bool named;             /* by the user */
    char *prefix;           /* of the cubes */
    bool trace;             /* print the history of a packet instead of a run */
    int64_t packet, events; /* which one, -1 = not given; how many events to print, 0 = not given */
    struct switches switches;
    bool resume, keep_state;
    int part, parts;          /* of the packets; 0 = all of them */
    double time_limit;        /* s; 0 = none */
    enum lr_team_use mpi;     /* whether processes work together */
    struct settings settings; /* from --set; the other options come after them and take precedence */
    struct settings short_hands;
    lr_document *document; /* the model file, read once */
    struct lines lines;    /* those of it that are wanted */
};

/* Reads the command line. Functions return exit codes. */
int run_request_read(int argc, char **argv, struct run_request *request);
/* Reads the model file and finds the lines that are wanted. */
int run_request_open(lr_context *ctx, struct run_request *request);
/* Names the output after the model with _result, if that is not what the model reads. */
int run_request_rename(struct run_request *request);
void run_request_free(struct run_request *request);

#endif
