#define _POSIX_C_SOURCE 200809L
#include "run_request.h"

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

/* `tail` ends in .h5. */
static int set_default_output(struct run_request *request, const char *tail)
{
    static const char *const endings[] = {".yaml", ".yml", NULL};
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

static int read_option(void *user, int option)
{
    struct run_request *request = user;
    static const char *const precisions[] = {"mixed", "double", NULL};
    struct settings *short_hands = &request->short_hands;
    switch (option) {
    case 'o':
        return set_output(request, optarg);
    case 'l':
        request->line = optarg;
        return 0;
    case 'n':
        return settings_add_whole(short_hands, "--packets", "run.packets", optarg);
    case 'r':
        return settings_add_whole(short_hands, "--seed", "run.seed", optarg);
    case 't':
        return settings_add_whole(short_hands, "--threads", "run.threads", optarg);
    case 'd':
        return settings_add_device(short_hands, optarg);
    case 'p':
        return settings_add_choice(short_hands, "--precision", "run.precision", optarg, precisions);
    case 's':
        return settings_add(&request->settings, optarg);
    default:
        return EXIT_ERROR;
    }
}

int run_request_read(int argc, char **argv, struct run_request *request)
{
    static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                         {"line", required_argument, NULL, 'l'},
                                         {"packets", required_argument, NULL, 'n'},
                                         {"seed", required_argument, NULL, 'r'},
                                         {"threads", required_argument, NULL, 't'},
                                         {"device", required_argument, NULL, 'd'},
                                         {"precision", required_argument, NULL, 'p'},
                                         {"set", required_argument, NULL, 's'},
                                         {"json", no_argument, NULL, 'j'},
                                         {"quiet", no_argument, NULL, 'q'},
                                         {"help", no_argument, NULL, 'h'},
                                         {NULL, 0, NULL, 0}};
    const struct options options = {":o:h", list, read_option};
    const int code = options_read(argc, argv, &options, request, &request->switches);
    if (code != EXIT_GOOD || request->switches.help)
        return code;
    request->model = options_single(argc, argv, "model");
    if (!request->model || settings_append(&request->settings, &request->short_hands) ||
        (!request->output && set_default_output(request, ".h5")))
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
    const int code = set_default_output(request, "_result.h5");
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
