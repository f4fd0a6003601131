/* linerad run */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "interrupt.h"
#include "run_task.h"
#include "run_trace.h"
#include "summary.h"
#include "team.h"

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
    "  --device NAME          auto, cpu, cuda, cuda:N, or several GPUs: cuda:0,1 or cuda:all (run.device of\n"
    "                         the model, or auto: the GPU if there is one)\n"
    "  --precision NAME       mixed or double (run.precision of the model, or mixed)\n"
    "  --set KEY=VALUE        set or add a value of the model; repeatable (none)\n"
    "  --packet ID --trace    instead of a run, print the history of one of its packets, 0 to N - 1, event by event;\n"
    "                         it is the same as in the run (on a GPU, up to rounding); nothing is written\n"
    "  --events N             events of it to print; the last one is always shown (1000)\n"
    "  --resume               continue from the statepoint that an earlier run of the same model to the same result "
    "left;\n"
    "                         start if there is none, and only print the summary if the result is complete (off)\n"
    "  --share K/N            follow only the K-th of N equal parts of the packets, and keep their sums in the result\n"
    "                         (MODEL_KofN.h5): 'linerad merge' adds them up (all)\n"
    "  --keep-state           keep the statepoint of a complete run, so that packets can be added to it with\n"
    "                         '--resume --packets MORE' (off)\n"
    "  --time-limit TIME      stop before this time is over, such as 23h, 90min or 3600s (none)\n"
    "  --mpi WHEN             processes started by mpirun or srun work on one run: on, off (each runs by itself)\n"
    "                         or auto, on if there are several (auto)\n"
    "  --json, --json=line    summary and settings as JSON on stdout, on several lines or on one; all other text goes\n"
    "                         to stderr (off)\n"
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
    "Ctrl-C, SIGTERM and SIGHUP (sent when a terminal closes, unless the run was started with nohup) stop the run "
    "within\n"
    "about a second, and the result so far is written; a second Ctrl-C quits at once. A long run leaves a statepoint "
    "next\n"
    "to the result every ten minutes (run.checkpoint), when it is stopped and when it receives SIGUSR1; --resume "
    "continues\n"
    "from it.\n"
    "\n"
    "Exit codes\n"
    "  0    done\n"
    "  2    error: one line on stderr, nothing overwritten\n"
    "  130  stopped by Ctrl-C; the result holds what was finished and says what is missing; the lines that follow are\n"
    "       not run\n";

static int each_line(lr_context *ctx, const struct run_request *request, struct lines lines,
                     int (*step)(lr_context *ctx, const struct run_task *task, void *user), void *user)
{
    int code = EXIT_GOOD;
    for (int i = lines.first; i < lines.end && code == EXIT_GOOD; i++) {
        struct run_task task;
        code = run_task_create(request, i, &task);
        if (code == EXIT_GOOD) {
            code = step(ctx, &task, user);
            run_task_free(&task);
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
    lr_lock **lock;     /* the same, of the names of results */
    double bytes;       /* that they take */
};

/* Warnings are given here, before anything runs. */
static int check_line(lr_context *ctx, const struct run_task *task, void *user)
{
    struct progress *progress = user;
    lr_model *model = NULL;
    progress->console->line = task->line;
    int code = run_task_check(ctx, task, &model);
    if (code == EXIT_GOOD)
        code = run_task_lock(ctx, task, &progress->lock[task->index]);
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
static int check_lines(lr_context *ctx, const struct run_request *request, struct progress *progress)
{
    const struct lines later = {request->lines.first + 1, request->lines.end};
    const struct lines first = {request->lines.first, request->lines.first + 1};
    const size_t n = (size_t)lr_document_model_count(request->document);
    progress->waiting = calloc(n, sizeof(lr_model *));
    progress->lock = calloc(n, sizeof(lr_lock *));
    if (!progress->waiting || !progress->lock)
        return message_error("out of memory");
    const int code = each_line(ctx, request, later, check_line, progress);
    return code == EXIT_GOOD ? each_line(ctx, request, first, check_line, progress) : code;
}

/* The model that waits for this line, or it once more. */
static int take_model(lr_context *ctx, const struct run_task *task, struct progress *progress, lr_model **model)
{
    *model = progress->waiting[task->index];
    progress->waiting[task->index] = NULL;
    return *model ? EXIT_GOOD : run_task_reload(ctx, task, progress->console, model);
}

static int run_line(lr_context *ctx, const struct run_task *task, void *user)
{
    struct progress *progress = user;
    lr_model *model = NULL;
    const bool stopped = interrupt_happened(); /* after the line before this one was finished */
    if (lr_team_agree(ctx, stopped ? LR_ERROR_INTERRUPTED : LR_OK) != LR_OK)
        return EXIT_STOPPED;
    progress->console->line = task->line;
    int code = team_agree(ctx, take_model(ctx, task, progress, &model));
    if (code == EXIT_GOOD)
        code = run_task_run(ctx, task, progress->console, model, &progress->json);
    progress->console->line = NULL;
    lr_model_free(model);
    return code;
}

static int find_input(lr_context *ctx, const struct run_task *task, void *user)
{
    const struct run_request *request = task->request;
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
static int spare_inputs(lr_context *ctx, struct run_request *request)
{
    int found = 0, code = each_line(ctx, request, request->lines, find_input, &found);
    if (code == EXIT_GOOD && found) {
        code = run_request_rename(request);
        request->named = true; /* if the model also reads this file, the user must choose a name */
        if (code == EXIT_GOOD)
            code = each_line(ctx, request, request->lines, find_input, &found);
    }
    return code;
}

/* Leaves time to write what there is: a tenth of the limit, at most two minutes. */
static void limit_time(double limit)
{
    if (limit > 0)
        interrupt_after(limit - (limit < 1200 ? 0.1 * limit : 120));
}

static int run_lines(lr_context *ctx, struct run_request *request, struct console *console)
{
    interrupt_prepare();
    limit_time(request->time_limit);
    struct progress progress = {
        .console = console,
        .json = {.file = stdout, .first = true, .one_line = request->switches.one_line},
    };
    int code = run_request_open(ctx, request);
    if (code == EXIT_GOOD)
        code = spare_inputs(ctx, request);
    if (code == EXIT_GOOD)
        code = check_lines(ctx, request, &progress);
    code = team_agree(ctx, code);
    if (code == EXIT_GOOD) {
        const bool lists = request->switches.json && *lr_document_line(request->document, 0) && lr_team_rank(ctx) == 0;
        if (lists)
            summary_open_list(&progress.json);
        code = each_line(ctx, request, request->lines, run_line, &progress);
        if (lists)
            summary_close_list(&progress.json);
    }
    for (int i = 0; progress.waiting && i < lr_document_model_count(request->document); i++)
        lr_model_free(progress.waiting[i]);
    for (int i = 0; progress.lock && i < lr_document_model_count(request->document); i++)
        lr_lock_release(progress.lock[i]);
    free(progress.waiting);
    free(progress.lock);
    return code == EXIT_GOOD ? command_print("") : code;
}

static int run(struct run_request *request)
{
    struct console console = console_create(request->switches.quiet);
    if (request->trace && request->mpi != LR_TEAM_OFF && lr_team_rank(NULL) > 0) /* one process follows one packet */
        return EXIT_GOOD;
    lr_context *ctx = console_context(&console);
    if (!ctx)
        return EXIT_ERROR;
    lr_context_on_progress(ctx, console_progress, &console);
    int code = request->trace ? run_request_open(ctx, request) : team_join(ctx, request->mpi, &console);
    if (code == EXIT_GOOD && request->trace)
        code = run_trace(ctx, request, &console);
    else if (code == EXIT_GOOD)
        code = team_agree(ctx, run_lines(ctx, request, &console));
    lr_team_leave(ctx);
    lr_context_free(ctx);
    return code;
}

int command_run(int argc, char **argv)
{
    struct run_request request = {.model = NULL};
    message_silence(lr_team_rank(NULL) > 0);
    int code = run_request_read(argc, argv, &request);
    if (code == EXIT_GOOD)
        code = request.switches.help ? command_print(help) : run(&request);
    run_request_free(&request);
    return code;
}
