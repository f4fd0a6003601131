#define _POSIX_C_SOURCE 200809L
#include "message.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"

static const double terminal_interval = 0.1, log_interval = 10.0; /* seconds between progress reports */

/* In a job of several processes, all but one have nothing to say. */
static bool silent;

void message_silence(bool on)
{
    silent = on;
}

/* Whatever a file name contains, a message stays on one line and cannot control the terminal. */
static void print_line(const char *kind, const char *format, va_list arguments)
{
    char text[2048];
    if (silent)
        return;
    vsnprintf(text, sizeof text, format, arguments);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    fprintf(stderr, "linerad: %s%s\n", kind, text);
}

int message_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("error: ", format, arguments);
    va_end(arguments);
    return EXIT_ERROR;
}

void message_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("warning: ", format, arguments);
    va_end(arguments);
}

static void message_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void message_info(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
}

struct console console_create(bool quiet)
{
    return (struct console){.quiet = quiet, .terminal = isatty(STDERR_FILENO)};
}

lr_context *console_context(struct console *console)
{
    lr_context *ctx = lr_context_create();
    if (!ctx) {
        message_error("out of memory");
        return NULL;
    }
    lr_context_on_log(ctx, console_log, console);
    lr_context_guard(ctx, 1);
    return ctx;
}

static void clear_line(struct console *console)
{
    if (console->line_open)
        fputs("\r\033[K", stderr);
    console->line_open = false;
}

void console_end_line(struct console *console)
{
    if (console->line_open)
        fputc('\n', stderr);
    console->line_open = false;
}

void console_log(void *user, enum lr_log_level level, const char *text)
{
    struct console *console = user;
    char name[80] = "";
    if (level != LR_LOG_WARNING && console->quiet)
        return;
    if (console->line && *console->line)
        snprintf(name, sizeof name, "line '%.63s': ", console->line);
    clear_line(console);
    if (level == LR_LOG_WARNING)
        message_warning("%s%s", name, text);
    else
        message_info("%s%s", name, text);
}

static void format_duration(char *text, size_t size, double seconds)
{
    if (!(seconds < 8.64e6)) {
        snprintf(text, size, "%.3g days", seconds / 86400);
        return;
    }
    long whole = (long)(seconds + 0.5);
    if (whole < 3600)
        snprintf(text, size, "%ld:%02ld", whole / 60, whole % 60);
    else
        snprintf(text, size, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

/* Characters that fit into a line of the terminal: more would begin another one at every report. */
static int line_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

/* Before the end of anything, the time that has passed; then the time that is left. */
static void format_progress(char *line, size_t size, const struct console *console, const char *what, int64_t total)
{
    const struct pace *pace = &console->pace;
    const long long done = pace->done, left = pace->left;
    const double remaining = pace_remaining(pace), percent = total > 0 ? 100.0 * (double)done / (double)total : 0.0;
    char duration[32];
    format_duration(duration, sizeof duration, isnan(remaining) ? pace->seconds : remaining);
    if (total <= 0)
        snprintf(line, size, "%lld %.80s  %.3g s", done, what, pace->seconds);
    else if (done == 0)
        snprintf(line, size, "%5.1f %%  none of %lld %.80s  %s", percent, (long long)total, what, duration);
    else if (pace->tail && left > 0)
        snprintf(line, size, "%5.1f %%  %lld %.60s left%s  %s%s", percent, left, what,
                 strcmp(what, "packets") == 0 ? ", with long histories" : "", isnan(remaining) ? "" : "ETA about ",
                 duration);
    else
        snprintf(line, size, "%5.1f %%  %lld of %lld %.60s  %.3g per second  ETA %s", percent, done, (long long)total,
                 what, pace_mean(pace), duration);
}

void console_progress(void *user, const char *what, int64_t done, int64_t total, double seconds)
{
    struct console *console = user;
    const bool last = total > 0 && done >= total;
    const double interval = console->terminal ? terminal_interval : log_interval;
    if (seconds < console->last_report)
        console->last_report = 0; /* a new stage has begun */
    pace_update(&console->pace, done, total, seconds);
    const bool due = seconds - console->last_report >= interval || (last && console->line_open);
    if (console->quiet || !due)
        return;
    console->last_report = seconds;
    char line[192];
    format_progress(line, sizeof line, console, what, total);
    if (console->terminal) {
        fprintf(stderr, "\r%.*s\033[K", line_width(), line);
        fflush(stderr);
        console->line_open = true;
    } else {
        message_info("%s", line);
    }
}
