/* Messages on stderr: errors, warnings, log messages and the progress line, without overwriting each other. */
#ifndef LINERAD_CLI_MESSAGE_H
#define LINERAD_CLI_MESSAGE_H

#include <stdbool.h>

#include "linerad.h"
#include "pace.h"

struct console {
    bool quiet;         /* warnings and errors only */
    bool terminal;      /* stderr is a terminal: the progress line is rewritten in place */
    bool line_open;     /* the cursor is in a progress line */
    double last_report; /* seconds of the run at the last progress line */
    struct pace pace;
    const char *line; /* the line that messages refer to; NULL or "" = there is only one */
};

struct console console_create(bool quiet);
/* A context of the library with its messages on this console; NULL after an error line. */
lr_context *console_context(struct console *console);

/* One line "linerad: error: ...". Returns EXIT_ERROR. */
int message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on, errors, warnings and messages of this process are not printed; or they are again. */
void message_silence(bool on);

/* Callbacks of the library; user is a struct console. */
lr_log_fn console_log;
lr_progress_fn console_progress;
/* Ends an open progress line, so that other text starts on a new line. */
void console_end_line(struct console *console);

#endif
