/* linerad merge */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "json.h"
#include "message.h"
#include "options.h"
#include "summary.h"

static const char help[] =
    "linerad merge: add up the results of parts of a run, or of runs with different seeds\n"
    "\n"
    "Usage: linerad merge RESULT.h5 RESULT.h5 ... -o ALL.h5\n"
    "\n"
    "The results must be complete, of the same model, and contain sums: those of 'linerad run --share' do, and those "
    "of\n"
    "models with 'output.sums: true'. Spectra, fields, images, quantiles and their errors are then those of one run "
    "with\n"
    "all the packets. Packets that are in two of the results are an error.\n"
    "\n"
    "Options (defaults in parentheses)\n"
    "  -o, --output FILE   the result, HDF5 (required); cubes are written next to it: NAME_<camera>.fits\n"
    "  --json, --json=line summary and settings as JSON on stdout, on several lines or on one (off)\n"
    "  --quiet             no messages or summary; errors, warnings and --json remain (off)\n"
    "  -h, --help          this text\n"
    "\n"
    "Examples\n"
    "  for k in 1 2 3 4; do linerad run slab.yaml --share $k/4; done\n"
    "  linerad merge slab_?of4.h5 -o slab.h5\n"
    "\n"
    "Exit codes\n"
    "  0    done\n"
    "  2    error: one line on stderr, nothing overwritten\n";

struct request {
    const char *output;
    struct switches switches;
    char **source;
    int n_source;
};

static int read_option(void *user, int option)
{
    struct request *request = user;
    if (option != 'o')
        return EXIT_ERROR;
    request->output = optarg;
    return EXIT_GOOD;
}

/* Whether two names are of the same file, also with links or another spelling. */
static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return strcmp(one, other) == 0 ||
           (stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev);
}

static int read_request(int argc, char **argv, struct request *request)
{
    static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                         {"json", optional_argument, NULL, 'j'},
                                         {"quiet", no_argument, NULL, 'q'},
                                         {"help", no_argument, NULL, 'h'},
                                         {NULL, 0, NULL, 0}};
    const struct options options = {":o:h", list, read_option};
    const int code = options_read(argc, argv, &options, request, &request->switches);
    if (code != EXIT_GOOD || request->switches.help)
        return code;
    request->source = argv + optind;
    request->n_source = argc - optind;
    if (request->n_source < 2)
        return message_error("give two or more results; see 'linerad merge --help'");
    if (!request->output)
        return message_error("give the name of the merged result with -o");
    for (int i = 0; i < request->n_source; i++)
        if (is_same_file(request->source[i], request->output))
            return message_error("%s: this is one of the results to be merged; give another name with -o",
                                 request->output);
    return EXIT_GOOD;
}

static int add(lr_context *ctx, const struct request *request, int index, lr_result *to)
{
    lr_result *next = NULL;
    enum lr_status status = lr_result_read(ctx, request->source[index], &next);
    if (status != LR_OK)
        return message_error("%s", lr_last_error(ctx));
    if (lr_result_same_model(ctx, to, next) != LR_OK || lr_result_add(ctx, to, next) != LR_OK)
        status = LR_ERROR_INPUT;
    lr_result_free(next);
    if (status == LR_OK)
        return EXIT_GOOD;
    return index == 1 ? message_error("%s and %s: %s", request->source[0], request->source[1], lr_last_error(ctx))
                      : message_error("%s and those before it: %s", request->source[index], lr_last_error(ctx));
}

static int merge_into(lr_context *ctx, const struct request *request, lr_result *all)
{
    struct json json = {.file = stdout, .first = true, .one_line = request->switches.one_line};
    char *cubes = NULL, *prefix = NULL;
    int code = EXIT_GOOD;
    for (int i = 1; i < request->n_source && code == EXIT_GOOD; i++)
        code = add(ctx, request, i, all);
    if (code != EXIT_GOOD)
        return code;
    prefix = strdup(request->output);
    if (!prefix)
        return message_error("out of memory");
    const size_t length = strlen(prefix);
    if (length > 3 && strcmp(prefix + length - 3, ".h5") == 0)
        prefix[length - 3] = '\0';
    if (lr_result_write_all(ctx, all, request->output, prefix, &cubes) != LR_OK)
        code = message_error("%s", lr_last_error(ctx));
    else if (request->switches.json)
        summary_print_json(ctx, &json, all, request->output, cubes);
    else if (!request->switches.quiet)
        summary_print_text(stdout, all, request->output, cubes);
    lr_text_free(cubes);
    free(prefix);
    return code == EXIT_GOOD ? command_print("") : code;
}

static int merge(const struct request *request)
{
    struct console console = console_create(request->switches.quiet);
    lr_context *ctx = console_context(&console);
    lr_result *all = NULL;
    lr_lock *lock = NULL;
    if (!ctx)
        return EXIT_ERROR;
    int code = EXIT_ERROR;
    if (lr_result_path_check(ctx, request->output) || lr_lock_take(ctx, request->output, &lock) ||
        lr_result_read(ctx, request->source[0], &all))
        code = message_error("%s", lr_last_error(ctx));
    else
        code = merge_into(ctx, request, all);
    lr_lock_release(lock);
    lr_result_free(all);
    lr_context_free(ctx);
    return code;
}

int command_merge(int argc, char **argv)
{
    struct request request = {0};
    const int code = read_request(argc, argv, &request);
    if (code != EXIT_GOOD)
        return code;
    return request.switches.help ? command_print(help) : merge(&request);
}
