#define _POSIX_C_SOURCE 200809L
#include "run_request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "output_name.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

static int set_output(struct run_request *request, const char *path)
{
    const int stem = (int)(strlen(path) - strlen(".fits"));
    if (ends_with(path, ".fits") || ends_with(path, ".FITS"))
        return message_error("--output %s: the result is an HDF5 file, such as %.*s.h5; cubes are FITS files next to "
                             "it, %.*s_<camera>.fits",
                             path, stem, path, stem, path);
    free(request->output);
    request->output = strdup(path);
    request->named = true;
    return request->output ? 0 : message_error("out of memory");
}

/* slab.yaml -> slab.h5, or slab_3of10.h5 for a part of its packets; `word` goes before that. */
static int set_default_output(struct run_request *request, const char *word)
{
    static const char *const endings[] = {".yaml", ".yml", NULL};
    char tail[64], part[48] = "";
    if (request->parts > 0)
        snprintf(part, sizeof part, "_%dof%d", request->part, request->parts);
    snprintf(tail, sizeof tail, "%s%s.h5", word, part);
    free(request->output);
    request->output = output_name(request->model, endings, tail);
    return request->output ? EXIT_GOOD : EXIT_ERROR;
}

/* some/where/slab.h5 -> some/where/slab: cubes are named after the result. */
static int set_prefix(struct run_request *request)
{
    free(request->prefix);
    request->prefix = strdup(request->output);
    if (request->prefix && ends_with(request->output, ".h5"))
        request->prefix[strlen(request->output) - strlen(".h5")] = '\0';
    return request->prefix ? 0 : message_error("out of memory");
}

static int read_count(const char *option, int64_t least, int64_t *count)
{
    char *end = NULL;
    const double number = strtod(optarg, &end);
    if (end == optarg || *end || !(number >= (double)least && number <= 1e15) || number != floor(number))
        return message_error("%s %s: expected a whole number from %d on", option, optarg, (int)least);
    *count = (int64_t)number;
    return 0;
}

/* --packet and --trace go together, and have options of their own. */
static int check_trace(struct run_request *request)
{
    if (!request->trace && request->packet >= 0)
        return message_error("'--packet' needs --trace; did you mean '--packets'?");
    if (!request->trace && request->events > 0)
        return message_error("'--events' needs --trace");
    if (request->trace && request->packet < 0)
        return message_error("--trace needs the packet to trace, such as --packet 0");
    if (request->trace && request->switches.json)
        return message_error("--trace prints a table and has no JSON; leave out --json");
    if (request->trace && (request->resume || request->keep_state || request->parts > 0 || request->time_limit > 0))
        return message_error("--trace follows a single packet; leave out --resume, --keep-state, --share and "
                             "--time-limit");
    request->events = request->events > 0 ? request->events : 1000;
    return EXIT_GOOD;
}

/* 23h, 90min, 3600s, 2d, 23h50min: seconds without a unit. */
static int set_time_limit(struct run_request *request, const char *text)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    bool good = true;
    request->time_limit = 0;
    for (const char *from = text; *from && good;) {
        char *end = NULL;
        const double number = strtod(from, &end);
        const size_t length = strspn(end, "smindh");
        good = false;
        for (size_t i = 0; i < sizeof units / sizeof *units && end != from && number >= 0; i++)
            if (strlen(units[i].unit) == length && strncmp(end, units[i].unit, length) == 0) {
                request->time_limit += number * units[i].seconds;
                good = true;
            }
        from = end + length;
    }
    if (good && request->time_limit >= 1 && request->time_limit <= 1e9)
        return 0;
    return message_error("--time-limit %s: give a time of a second or more, such as 23h, 90min or 3600s", text);
}

/* 3/10 */
static int set_share(struct run_request *request, const char *text)
{
    int end = 0;
    if (sscanf(text, "%7d/%7d%n", &request->part, &request->parts, &end) == 2 && text[end] == '\0' &&
        request->part >= 1 && request->part <= request->parts)
        return 0;
    return message_error("--share %s: give the part and the number of parts, such as 3/10", text);
}

static int set_mpi(struct run_request *request, const char *text)
{
    static const char *const uses[] = {"auto", "on", "off"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, uses[i]) == 0) {
            request->mpi = (enum lr_team_use)i;
            if (request->mpi == LR_TEAM_OFF) /* this process speaks for itself */
                message_silence(false);
            return 0;
        }
    return message_error("--mpi %s: give auto, on or off", text);
}

static int read_option(void *user, int option)
{
    struct run_request *request = user;
    switch (option) {
    case 'o':
        return set_output(request, optarg);
    case 'l':
        request->line = optarg;
        return 0;
    case 'c':
        request->resume = true;
        return 0;
    case 'a':
        return set_share(request, optarg);
    case 'k':
        request->keep_state = true;
        return 0;
    case 'x':
        return set_time_limit(request, optarg);
    case 'm':
        return set_mpi(request, optarg);
    case 's':
        return settings_add(&request->settings, optarg);
    case 'i':
        return read_count("--packet", 0, &request->packet);
    case 'e':
        return read_count("--events", 1, &request->events);
    case 'T':
        request->trace = true;
        return 0;
    default:
        return options_add_setting(&request->short_hands, option);
    }
}

int run_request_read(int argc, char **argv, struct run_request *request)
{
    static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                         {"line", required_argument, NULL, 'l'},
                                         OPTIONS_OF_RUNS,
                                         {"resume", no_argument, NULL, 'c'},
                                         {"share", required_argument, NULL, 'a'},
                                         {"keep-state", no_argument, NULL, 'k'},
                                         {"time-limit", required_argument, NULL, 'x'},
                                         {"mpi", required_argument, NULL, 'm'},
                                         {"set", required_argument, NULL, 's'},
                                         {"packet", required_argument, NULL, 'i'},
                                         {"trace", no_argument, NULL, 'T'},
                                         {"events", required_argument, NULL, 'e'},
                                         {"json", optional_argument, NULL, 'j'},
                                         {"quiet", no_argument, NULL, 'q'},
                                         {"help", no_argument, NULL, 'h'},
                                         {NULL, 0, NULL, 0}};
    const struct options options = {":o:h", list, read_option};
    request->packet = -1;
    const int code = options_read(argc, argv, &options, request, &request->switches);
    if (code != EXIT_GOOD || request->switches.help)
        return code;
    request->model = check_trace(request) == EXIT_GOOD ? options_single(argc, argv, "model") : NULL;
    if (!request->model || settings_append(&request->settings, &request->short_hands) ||
        (!request->output && set_default_output(request, "")))
        return EXIT_ERROR;
    return set_prefix(request);
}

int run_request_open(lr_context *ctx, struct run_request *request)
{
    const struct settings *settings = &request->settings;
    if (lr_document_load(ctx, request->model, (const char *const *)settings->texts, settings->n, &request->document))
        return message_error("%s", lr_last_error(ctx));
    return lines_find(request->document, request->model, request->line, &request->lines);
}

int run_request_rename(struct run_request *request)
{
    const int code = set_default_output(request, "_result");
    return code == EXIT_GOOD ? set_prefix(request) : code;
}

void run_request_free(struct run_request *request)
{
    free(request->output);
    free(request->prefix);
    settings_free(&request->settings);
    settings_free(&request->short_hands);
    lr_document_free(request->document);
}
