/* linerad run */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "interrupt.h"
#include "json.h"
#include "linerad.h"
#include "lines.h"
#include "message.h"
#include "options.h"
#include "settings.h"
#include "summary.h"

static const char help[] =
    "linerad run: follow photon packets through a model, and write the escaped spectrum and images\n"
    "\n"
    "Usage: linerad run MODEL.yaml [options]\n"
    "\n"
    "Options (defaults in parentheses)\n"
    "  -o, --output FILE      result, HDF5 (name of the model with .h5, in the current directory, or with\n"
    "                         _result.h5 if the model reads a file of that name); an earlier result is\n"
    "                         replaced once the new one is complete, and no other file is overwritten\n"
    "                         cubes are written next to it: NAME_<camera>.fits\n"
    "                         with several lines: NAME_<line>.h5 and NAME_<line>_<camera>.fits for each\n"
    "  --line NAME            only this line of the model (all)\n"
    "  --packets N            number of photon packets, such as 1e6 (run.packets of the model, or 100000)\n"
    "  --seed N               random seed (run.seed of the model, or 1)\n"
    "  --threads N            CPU threads, 0 = all (run.threads of the model, or 0)\n"
    "  --device NAME          auto, cpu, cuda or cuda:N (run.device of the model, or auto: the GPU if there is one)\n"
    "  --precision NAME       mixed or double (run.precision of the model, or mixed)\n"
    "  --set KEY=VALUE        set or add a value of the model; repeatable (none)\n"
    "  --json                 summary as JSON on stdout; all other text goes to stderr (off)\n"
    "  --quiet                no progress, messages or summary; errors, warnings and --json remain (off)\n"
    "  -h, --help             this text\n"
    "\n"
    "Examples\n"
    "  linerad run slab.yaml --packets 1e6\n"
    "  for tau in 1e4 1e5 1e6; do linerad run slab.yaml --set medium.tau_mean=$tau -o tau_$tau.h5 --json; done\n"
    "\n"
    "Units\n"
    "  Frequencies are x = (nu - nu0) / nu_D, in Doppler units of the reference b; x > 0 is blue. Velocities follow\n"
    "  the radio convention v = -x b, positive = receding. Spectra are photons/s per unit x; the mean path is in\n"
    "  half-sizes of the mesh along x, or in radii of the outermost shell. Errors are one standard error, from\n"
    "  independent batches of packets.\n"
    "\n"
    "Ctrl-C finishes the packets in flight and writes the result so far; a second Ctrl-C quits at once.\n"
    "\n"
    "Exit codes\n"
    "  0    done\n"
    "  2    error: one line on stderr, nothing overwritten\n"
    "  130  stopped by Ctrl-C; the result is complete for the packets finished so far, or some image numbers are\n"
    "       missing; the lines that follow are not run\n";

struct request {
    const char *model;
    const char *line; /* the only line requested; NULL = all */
    char *output;
    bool named;   /* by the user */
    char *prefix; /* of the cubes */
    bool json, quiet, help;
    struct settings settings; /* from --set; the other options come after them and take precedence */
    struct settings short_hands;
    lr_document *document; /* the model file, read once */
    struct lines lines;    /* those of it that are wanted */
};

static void request_free(struct request *request)
{
    free(request->output);
    free(request->prefix);
    settings_free(&request->settings);
    settings_free(&request->short_hands);
    lr_document_free(request->document);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

static int set_output(struct request *request, const char *path)
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

/* some/where/slab.yaml -> slab.h5, with `end` before the dot. */
static int set_default_output(struct request *request, const char *end)
{
    const char *slash = strrchr(request->model, '/');
    const char *name = slash ? slash + 1 : request->model;
    const char *dot = strrchr(name, '.');
    size_t length =
        dot && dot > name && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")) ? (size_t)(dot - name) : strlen(name);
    size_t size = length + strlen(end) + sizeof ".h5";
    free(request->output);
    request->output = malloc(size);
    if (!request->output)
        return message_error("out of memory");
    snprintf(request->output, size, "%.*s%s.h5", (int)length, name, end);
    return 0;
}

/* some/where/slab.h5 -> some/where/slab: cubes are named after the result. */
static int set_prefix(struct request *request)
{
    free(request->prefix);
    request->prefix = strdup(request->output);
    if (request->prefix && ends_with(request->output, ".h5"))
        request->prefix[strlen(request->output) - strlen(".h5")] = '\0';
    return request->prefix ? 0 : message_error("out of memory");
}

static int read_option(struct request *request, int option)
{
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
    for (int option; (option = options_next(argc, argv, ":o:h", options)) != -1;) {
        int code = read_option(request, option);
        if (code || request->help)
            return code;
    }
    request->model = options_single(argc, argv, "model");
    if (!request->model || settings_append(&request->settings, &request->short_hands) ||
        (!request->output && set_default_output(request, "")))
        return EXIT_ERROR;
    return set_prefix(request);
}

/* ---- one line ---- */

/* What a run of one line reads and writes. */
struct task {
    const struct request *request;
    int index;        /* of the line in the document */
    const char *line; /* its name; "" in a model with a single line */
    char *output, *prefix;
};

static void task_free(struct task *task)
{
    free(task->output);
    free(task->prefix);
}

/* slab.h5 -> slab_co.h5 */
static int task_create(const struct request *request, int index, struct task *task)
{
    const char *line = lr_document_line(request->document, index);
    const size_t size = strlen(request->output) + strlen(line) + 2;
    const bool ends = strlen(request->output) > strlen(request->prefix); /* with .h5, then */
    *task = (struct task){request, index, line, malloc(size), malloc(size)};
    if (!task->output || !task->prefix) {
        task_free(task);
        return message_error("out of memory");
    }
    snprintf(task->prefix, size, "%s%s%s", request->prefix, *line ? "_" : "", line);
    snprintf(task->output, size, "%s%s", task->prefix, ends ? ".h5" : "");
    return EXIT_GOOD;
}

/* Errors of one of several lines name it; errors in the model already do. */
static int task_error(lr_context *ctx, const struct task *task)
{
    const char *text = lr_last_error(ctx);
    if (*task->line && strncmp(text, "line '", 6) != 0)
        return message_error("line '%s': %s", task->line, text);
    return message_error("%s", text);
}

/* Reads the model and checks the paths of its files, so that nothing fails after hours. */
static int check(lr_context *ctx, const struct task *task, lr_model **model)
{
    if (lr_model_create(ctx, task->request->document, task->line, model) || lr_result_path_check(ctx, task->output) ||
        lr_cube_path_check(ctx, *model, task->prefix))
        return task_error(ctx, task);
    return EXIT_GOOD;
}

/* *cubes lists the files, one per line; empty if the model has no camera. */
static enum lr_status write_files(lr_context *ctx, const struct task *task, const lr_result *result, char **cubes)
{
    enum lr_status status = lr_result_write(ctx, result, task->output);
    return status == LR_OK ? lr_result_write_cubes(ctx, result, task->prefix, cubes) : status;
}

static int transport(lr_context *ctx, const struct task *task, struct console *console, const lr_model *model,
                     struct json *json)
{
    struct lr_summary summary;
    char *cubes = NULL;
    lr_result *result = NULL;
    interrupt_catch(ctx);
    enum lr_status status = lr_run(ctx, model, &result);
    console_end_line(console);
    if (status == LR_OK)
        status = write_files(ctx, task, result, &cubes);
    interrupt_release();
    if (status != LR_OK) {
        task_error(ctx, task);
        lr_result_free(result);
        return status == LR_ERROR_INTERRUPTED ? EXIT_STOPPED : EXIT_ERROR;
    }
    LR_INIT(summary);
    lr_result_summary(result, &summary);
    const bool stopped = interrupt_happened() && (summary.packets < summary.packets_requested ||
                                                  summary.images_missing || summary.report_missing);
    if (stopped && summary.packets < summary.packets_requested)
        message_warning("stopped after %lld of %lld packets; the result is complete for those",
                        (long long)summary.packets, (long long)summary.packets_requested);
    if (task->request->json)
        summary_print_json(json, result, task->output, cubes);
    else if (!task->request->quiet)
        summary_print_text(stdout, result, task->output, cubes);
    const int code = command_print("");
    lr_text_free(cubes);
    lr_result_free(result);
    return code ? code : stopped ? EXIT_STOPPED : EXIT_GOOD;
}

/* ---- all lines ---- */

static int each_line(lr_context *ctx, const struct request *request, struct lines lines,
                     int (*step)(lr_context *ctx, const struct task *task, void *user), void *user)
{
    int code = EXIT_GOOD;
    for (int i = lines.first; i < lines.end && code == EXIT_GOOD; i++) {
        struct task task;
        code = task_create(request, i, &task);
        if (code == EXIT_GOOD) {
            code = step(ctx, &task, user);
            task_free(&task);
        }
    }
    return code;
}

/* All lines are looked at before the first one runs. Their models wait for their turn as long as they fit into this
 * many bytes together; larger ones are made again, so that one large model is in memory at a time. */
static const double most_waiting = 1073741824.0;

struct progress {
    struct console *console;
    struct json json;
    lr_model **waiting; /* [number of lines in the document] or NULL */
    double bytes;       /* that they take */
};

/* Warnings are given here, before anything runs. */
static int check_line(lr_context *ctx, const struct task *task, void *user)
{
    struct progress *progress = user;
    lr_model *model = NULL;
    progress->console->line = task->line;
    const int code = check(ctx, task, &model);
    progress->console->line = NULL;
    const double bytes = code == EXIT_GOOD ? lr_model_memory(model) : 0.0;
    const bool runs_next = task->index == task->request->lines.first;
    if (code == EXIT_GOOD && (runs_next || progress->bytes + bytes <= most_waiting)) {
        progress->waiting[task->index] = model;
        progress->bytes += bytes;
    } else {
        lr_model_free(model);
    }
    return code;
}

/* The first one last: it stays, whatever its size. */
static int check_lines(lr_context *ctx, const struct request *request, struct progress *progress)
{
    const struct lines later = {request->lines.first + 1, request->lines.end};
    const struct lines first = {request->lines.first, request->lines.first + 1};
    progress->waiting = calloc((size_t)lr_document_model_count(request->document), sizeof(lr_model *));
    if (!progress->waiting)
        return message_error("out of memory");
    const int code = each_line(ctx, request, later, check_line, progress);
    return code == EXIT_GOOD ? each_line(ctx, request, first, check_line, progress) : code;
}

/* The model that waits for this line; or it once more, without the warnings that were given when it was checked. */
static enum lr_status take_model(lr_context *ctx, const struct task *task, struct progress *progress, lr_model **model)
{
    *model = progress->waiting[task->index];
    progress->waiting[task->index] = NULL;
    if (*model)
        return LR_OK;
    lr_context_on_log(ctx, NULL, NULL);
    const enum lr_status status = lr_model_create(ctx, task->request->document, task->line, model);
    lr_context_on_log(ctx, console_log, progress->console);
    return status;
}

static int run_line(lr_context *ctx, const struct task *task, void *user)
{
    struct progress *progress = user;
    lr_model *model = NULL;
    if (interrupt_happened()) /* after the line before this one was finished */
        return EXIT_STOPPED;
    progress->console->line = task->line;
    const int code = take_model(ctx, task, progress, &model)
                         ? task_error(ctx, task)
                         : transport(ctx, task, progress->console, model, &progress->json);
    progress->console->line = NULL;
    lr_model_free(model);
    return code;
}

static int find_input(lr_context *ctx, const struct task *task, void *user)
{
    const struct request *request = task->request;
    int *found = user;
    const int reads = lr_document_reads(request->document, task->output);
    (void)ctx;
    if (reads && request->named)
        return message_error("%s: the model reads this file; give the result another name with -o", task->output);
    if (reads)
        message_warning("the model reads %s, the default name of its result; the result goes to %s_result%s instead",
                        task->output, request->prefix, task->output + strlen(request->prefix));
    *found |= reads;
    return EXIT_GOOD;
}

/* No result overwrites a file that the model reads. */
static int spare_inputs(lr_context *ctx, struct request *request)
{
    int found = 0, code = each_line(ctx, request, request->lines, find_input, &found);
    if (code == EXIT_GOOD && found) {
        code = set_default_output(request, "_result") ? EXIT_ERROR : set_prefix(request);
        request->named = true; /* if the model also reads this file, the user must choose a name */
        if (code == EXIT_GOOD)
            code = each_line(ctx, request, request->lines, find_input, &found);
    }
    return code;
}

static int read_document(lr_context *ctx, struct request *request)
{
    const struct settings *settings = &request->settings;
    if (lr_document_load(ctx, request->model, (const char *const *)settings->texts, settings->n, &request->document))
        return message_error("%s", lr_last_error(ctx));
    return lines_find(request->document, request->model, request->line, &request->lines);
}

static int run_lines(lr_context *ctx, struct request *request, struct console *console)
{
    struct progress progress = {.console = console, .json = {.file = stdout, .first = true}};
    int code = read_document(ctx, request);
    if (code == EXIT_GOOD)
        code = spare_inputs(ctx, request);
    if (code == EXIT_GOOD)
        code = check_lines(ctx, request, &progress);
    if (code == EXIT_GOOD) {
        const bool several = *lr_document_line(request->document, 0);
        if (request->json && several)
            summary_open_list(&progress.json);
        code = each_line(ctx, request, request->lines, run_line, &progress);
        if (request->json && several)
            summary_close_list(&progress.json);
    }
    for (int i = 0; progress.waiting && i < lr_document_model_count(request->document); i++)
        lr_model_free(progress.waiting[i]);
    free(progress.waiting);
    return code == EXIT_GOOD ? command_print("") : code;
}

static int run(struct request *request)
{
    lr_context *ctx = lr_context_create();
    if (!ctx)
        return message_error("out of memory");
    struct console console = console_create(request->quiet);
    lr_context_on_log(ctx, console_log, &console);
    lr_context_on_progress(ctx, console_progress, &console);
    int code = run_lines(ctx, request, &console);
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
