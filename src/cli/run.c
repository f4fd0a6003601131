/* linerad run */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "interrupt.h"
#include "linerad.h"
#include "message.h"
#include "options.h"
#include "settings.h"
#include "summary.h"

static const char help[] =
    "linerad run: follow photon packets through a model and write what escapes, and what cameras see of it\n"
    "\n"
    "Usage: linerad run MODEL.yaml [options]\n"
    "\n"
    "Options (defaults in parentheses)\n"
    "  -o, --output FILE      result, HDF5 (name of the model with .h5, in the current directory); an earlier\n"
    "                         result is replaced when the new one is whole, any other file is left alone\n"
    "                         cubes of the cameras of the model go beside it: NAME_<camera>.fits\n"
    "  --packets N            number of photon packets, such as 1e6 (run.packets of the model, or 100000)\n"
    "  --seed N               random seed (run.seed of the model, or 1)\n"
    "  --threads N            CPU threads, 0 = all (run.threads of the model, or 0)\n"
    "  --device NAME          auto, cpu, cuda or cuda:N (run.device of the model, or auto: the GPU if there is one)\n"
    "  --precision NAME       mixed or double (run.precision of the model, or mixed)\n"
    "  --set KEY=VALUE        replace or add a value of the model; any number of times (none)\n"
    "  --json                 summary as JSON on stdout; all other text goes to stderr (off)\n"
    "  --quiet                no progress, no messages and no summary, except errors, warnings and --json (off)\n"
    "  -h, --help             this text\n"
    "\n"
    "Examples\n"
    "  linerad run slab.yaml --packets 1e6\n"
    "  for tau in 1e4 1e5 1e6; do linerad run slab.yaml --set medium.tau_mean=$tau -o tau_$tau.h5 --json; done\n"
    "\n"
    "Units\n"
    "  Frequencies are x = (nu - nu0) / nu_D, in Doppler units of the reference b; x > 0 is blue. Velocities follow\n"
    "  the radio convention v = -x b, positive = receding. Spectra are photons/s per unit x; the mean path is in\n"
    "  half-sizes of the mesh along x, on shells in radii of the outermost. Errors are one standard error, from\n"
    "  independent batches of packets.\n"
    "\n"
    "Ctrl-C finishes the packets in flight and writes the result for them; a second one ends at once.\n"
    "\n"
    "Exit codes\n"
    "  0    done\n"
    "  2    error: one line on stderr, nothing overwritten\n"
    "  130  stopped by Ctrl-C; the result is complete for the packets that were finished\n";

struct request {
    const char *model;
    char *output;
    char *prefix; /* of the cubes */
    bool json, quiet, help;
    struct settings settings; /* of --set; the other options come after them and win */
    struct settings short_hands;
};

static void request_free(struct request *request)
{
    free(request->output);
    free(request->prefix);
    settings_free(&request->settings);
    settings_free(&request->short_hands);
}

static int set_output(struct request *request, const char *path)
{
    free(request->output);
    request->output = strdup(path);
    return request->output ? 0 : message_error("out of memory");
}

/* some/where/slab.yaml -> slab.h5 */
static int set_default_output(struct request *request)
{
    const char *slash = strrchr(request->model, '/');
    const char *name = slash ? slash + 1 : request->model;
    const char *dot = strrchr(name, '.');
    size_t length =
        dot && dot > name && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")) ? (size_t)(dot - name) : strlen(name);
    size_t size = length + sizeof ".h5";
    request->output = malloc(size);
    if (!request->output)
        return message_error("out of memory");
    snprintf(request->output, size, "%.*s.h5", (int)length, name);
    return 0;
}

/* some/where/slab.h5 -> some/where/slab: cubes are named after the result. */
static void set_prefix(struct request *request)
{
    const size_t length = strlen(request->output), end = sizeof ".h5" - 1;
    request->prefix = strdup(request->output);
    if (request->prefix && length > end && strcmp(request->output + length - end, ".h5") == 0)
        request->prefix[length - end] = '\0';
}

static int read_option(struct request *request, int option)
{
    static const char *const precisions[] = {"mixed", "double", NULL};
    struct settings *short_hands = &request->short_hands;
    switch (option) {
    case 'o':
        return set_output(request, optarg);
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
    case 'j':
        request->json = true;
        return 0;
    case 'q':
        request->quiet = true;
        return 0;
    case 'h':
        request->help = true;
        return 0;
    default:
        return EXIT_ERROR;
    }
}

static int read_request(int argc, char **argv, struct request *request)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
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
    for (int option; (option = options_next(argc, argv, ":o:h", options)) != -1;) {
        int code = read_option(request, option);
        if (code || request->help)
            return code;
    }
    request->model = options_single(argc, argv, "model");
    if (!request->model || settings_append(&request->settings, &request->short_hands) ||
        (!request->output && set_default_output(request)))
        return EXIT_ERROR;
    set_prefix(request);
    return request->prefix ? 0 : message_error("out of memory");
}

static int print_summary(const struct request *request, const struct lr_summary *summary, const char *cubes)
{
    if (request->json)
        summary_print_json(stdout, summary, request->output, cubes);
    else if (!request->quiet)
        summary_print_text(stdout, summary, request->output, cubes);
    return command_print("");
}

/* *cubes lists the files, one per line; empty when the model has no camera. */
static enum lr_status write_files(lr_context *ctx, const struct request *request, const lr_result *result, char **cubes)
{
    enum lr_status status = lr_result_write(ctx, result, request->output);
    return status == LR_OK ? lr_result_write_cubes(ctx, result, request->prefix, cubes) : status;
}

static int transport(lr_context *ctx, const struct request *request, struct console *console, lr_model **model,
                     lr_result **result)
{
    const struct settings *settings = &request->settings;
    struct lr_summary summary;
    char *cubes = NULL;
    if (lr_model_load(ctx, request->model, (const char *const *)settings->texts, settings->n, model) ||
        lr_result_path_check(ctx, request->output) || lr_cube_path_check(ctx, *model, request->prefix))
        return message_error("%s", lr_last_error(ctx));
    interrupt_catch(ctx);
    enum lr_status status = lr_run(ctx, *model, result);
    console_end_line(console);
    if (status == LR_OK)
        status = write_files(ctx, request, *result, &cubes);
    interrupt_release();
    if (status != LR_OK) {
        message_error("%s", lr_last_error(ctx));
        return status == LR_ERROR_INTERRUPTED ? EXIT_STOPPED : EXIT_ERROR;
    }
    lr_result_summary(*result, &summary);
    const bool stopped =
        interrupt_happened() && (summary.packets < summary.packets_requested || summary.images_missing);
    if (stopped && summary.packets < summary.packets_requested)
        message_warning("stopped after %lld of %lld packets; result is complete for those", (long long)summary.packets,
                        (long long)summary.packets_requested);
    int code = print_summary(request, &summary, cubes);
    lr_text_free(cubes);
    return code ? code : stopped ? EXIT_STOPPED : EXIT_GOOD;
}

static int run(const struct request *request)
{
    lr_context *ctx = lr_context_create();
    if (!ctx)
        return message_error("out of memory");
    struct console console = console_create(request->quiet);
    lr_context_on_log(ctx, console_log, &console);
    lr_context_on_progress(ctx, console_progress, &console);
    lr_model *model = NULL;
    lr_result *result = NULL;
    int code = transport(ctx, request, &console, &model, &result);
    lr_result_free(result);
    lr_model_free(model);
    lr_context_free(ctx);
    return code;
}

int command_run(int argc, char **argv)
{
    struct request request = {NULL};
    int code = read_request(argc, argv, &request);
    if (code == 0)
        code = request.help ? command_print(help) : run(&request);
    request_free(&request);
    return code;
}
