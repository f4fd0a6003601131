#define _XOPEN_SOURCE 700
#include "run_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "linerad_tools.h"
#include "summary.h"
#include "team.h"

void run_task_free(struct run_task *task)
{
    free(task->output);
    free(task->prefix);
}

/* slab.h5 -> slab_co.h5 */
int run_task_create(const struct run_request *request, int index, struct run_task *task)
{
    const char *line = lr_document_line(request->document, index);
    const size_t size = strlen(request->output) + strlen(line) + 2;
    const bool ends = strlen(request->output) > strlen(request->prefix); /* with .h5, then */
    *task = (struct run_task){request, index, line, malloc(size), malloc(size)};
    if (!task->output || !task->prefix) {
        run_task_free(task);
        return message_error("out of memory");
    }
    snprintf(task->prefix, size, "%s%s%s", request->prefix, *line ? "_" : "", line);
    snprintf(task->output, size, "%s%s", task->prefix, ends ? ".h5" : "");
    return EXIT_GOOD;
}

/* Errors of one of several lines name it; errors in the model already do. */
static int task_error(lr_context *ctx, const struct run_task *task)
{
    const char *text = lr_last_error(ctx);
    if (*task->line && strncmp(text, "line '", 6) != 0)
        return message_error("line '%s': %s", task->line, text);
    return message_error("%s", text);
}

int run_task_check(lr_context *ctx, const struct run_task *task, lr_model **model)
{
    if (lr_team_create_model(ctx, task->request->document, task->line, model))
        return task_error(ctx, task);
    if (lr_team_rank(ctx) > 0) /* writes nothing */
        return EXIT_GOOD;
    if (lr_result_path_check(ctx, task->output) || lr_cube_path_check(ctx, *model, task->prefix) ||
        lr_result_space_check(ctx, *model, task->output))
        return task_error(ctx, task);
    return EXIT_GOOD;
}

int run_task_lock(lr_context *ctx, const struct run_task *task, lr_lock **lock)
{
    if (lr_team_rank(ctx) > 0)
        return EXIT_GOOD;
    return lr_lock_take(ctx, task->output, lock) == LR_OK ? EXIT_GOOD : task_error(ctx, task);
}

/* A new folder in one that usually has room; freed with free(), NULL if there is none. */
static char *other_place(const char *where)
{
    const size_t size = (where ? strlen(where) : 0) + sizeof "/linerad-XXXXXX";
    char *folder = where && *where ? malloc(size) : NULL;
    if (!folder)
        return NULL;
    snprintf(folder, size, "%s/linerad-XXXXXX", where);
    if (mkdtemp(folder))
        return folder;
    free(folder);
    return NULL;
}

static enum lr_status write_into(lr_context *ctx, const struct run_task *task, const lr_result *result,
                                 const char *folder)
{
    const char *slash = strrchr(task->output, '/');
    const char *name = slash ? slash + 1 : task->output;
    const size_t size = strlen(folder) + strlen(name) + 2, ends = strlen(task->output) - strlen(task->prefix);
    char *path = malloc(size), *prefix = malloc(size);
    enum lr_status status = LR_ERROR_MEMORY;
    if (path && prefix) {
        snprintf(path, size, "%s/%s", folder, name);
        snprintf(prefix, size, "%.*s", (int)(strlen(path) - ends), path);
        status = lr_result_write_all(ctx, result, path, prefix, NULL);
    }
    free(path);
    free(prefix);
    return status;
}

/* A result that cannot be written where it should be is not lost: it goes to another place, or at least its HDF5 file,
 * which contains the cubes, stays here. The error says where it is. */
static int save(lr_context *ctx, const struct run_task *task, const lr_result *result)
{
    const char *const places[] = {getenv("TMPDIR"), "/tmp", getenv("HOME")};
    char cause[1024];
    snprintf(cause, sizeof cause, "%s", lr_last_error(ctx));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *folder = other_place(places[i]);
        const bool good = folder && write_into(ctx, task, result, folder) == LR_OK;
        if (good)
            message_error("%s; all files are in %s instead", cause, folder);
        else if (folder)
            rmdir(folder);
        free(folder);
        if (good)
            return EXIT_ERROR;
    }
    if (lr_result_write(ctx, result, task->output) == LR_OK)
        return message_error("%s; %s was written and contains the cubes", cause, task->output);
    return message_error("%s", cause);
}

int run_task_reload(lr_context *ctx, const struct run_task *task, struct console *console, lr_model **model)
{
    lr_context_on_log(ctx, NULL, NULL);
    const enum lr_status status = lr_team_create_model(ctx, task->request->document, task->line, model);
    lr_context_on_log(ctx, console_log, console);
    return status == LR_OK ? EXIT_GOOD : task_error(ctx, task);
}

/* Packets left in flight are those with long histories: see docs/cli.md. */
static void warn_of_stop(const struct lr_summary *summary)
{
    if (!*summary->partial || summary->packets == 0 || summary->packets == summary->packets_requested)
        return;
    if (summary->packets_left > 0)
        message_warning("stopped after %s; %lld more were in flight and were left, so long histories are missing "
                        "from the result",
                        summary->partial, (long long)summary->packets_left);
    else
        message_warning("stopped after %s; the result is complete for those", summary->partial);
}

static void tell(struct console *console, const char *text)
{
    console_log(console, LR_LOG_INFO, text);
}

static void summarise(lr_context *ctx, const struct run_task *task, const lr_result *result, const char *cubes,
                      struct json *json)
{
    if (task->request->switches.json)
        summary_print_json(ctx, json, result, task->output, cubes);
    else if (!task->request->switches.quiet)
        summary_print_text(stdout, result, task->output, cubes);
    fflush(stdout); /* a failure is an error after the last line, whose result does not depend on it */
}

/* The summary of a result that an earlier run has written. */
static int summarise_stored(lr_context *ctx, const struct run_task *task, struct json *json)
{
    const struct switches *switches = &task->request->switches;
    lr_result *result = NULL;
    char *cubes = NULL;
    int code = EXIT_GOOD;
    if (lr_team_rank(ctx) > 0 || (switches->quiet && !switches->json))
        return EXIT_GOOD;
    if (lr_result_read(ctx, task->output, &result) || lr_result_find_cubes(ctx, result, task->prefix, &cubes))
        code = task_error(ctx, task);
    else
        summarise(ctx, task, result, cubes, json);
    lr_text_free(cubes);
    lr_result_free(result);
    return code;
}

/* Statepoints are next to the result. *finished: there is nothing to do. */
static enum lr_status open_keeper(lr_context *ctx, const struct run_task *task, const lr_model *model,
                                  const struct lr_run_options *options, lr_keeper **keeper, bool *finished)
{
    const struct run_request *request = task->request;
    const bool reads = request->resume && lr_team_rank(ctx) == 0;
    *finished = false;
    if (lr_keeper_create(ctx, model, options, task->output, reads, keeper) != LR_OK)
        return LR_ERROR_INPUT;
    *finished = request->resume && !lr_keeper_left(*keeper) && lr_keeper_finished(ctx, *keeper);
    if (!request->resume && lr_keeper_left(*keeper))
        message_warning(
            "an earlier run to %s left a statepoint, from which --resume would continue; this run starts over",
            task->output);
    return LR_OK;
}

int run_task_run(lr_context *ctx, const struct run_task *task, struct console *console, const lr_model *model,
                 struct json *json)
{
    struct lr_summary summary;
    char *cubes = NULL;
    lr_result *result = NULL;
    lr_keeper *keeper = NULL;
    bool finished = false;
    struct lr_run_options options;
    LR_INIT(options);
    options.part = task->request->part;
    options.parts = task->request->parts;
    if (lr_team_agree(ctx, open_keeper(ctx, task, model, &options, &keeper, &finished)) != LR_OK) {
        lr_keeper_free(keeper);
        return task_error(ctx, task);
    }
    if (finished) {
        lr_keeper_free(keeper);
        tell(console, "the result is complete; there is nothing to do");
        return team_agree(ctx, summarise_stored(ctx, task, json));
    }
    options.keeper = keeper;
    options.keep_state = task->request->keep_state;
    interrupt_catch(ctx);
    enum lr_status status = lr_run_with(ctx, model, &options, &result);
    console_end_line(console);
    if (status == LR_OK && !result) { /* rank 0 has it */
        interrupt_release();
        lr_keeper_free(keeper);
        return EXIT_GOOD;
    }
    if (status == LR_OK)
        status = lr_result_space_check(ctx, model, task->output);
    if (status == LR_OK)
        status = lr_result_write_all(ctx, result, task->output, task->prefix, &cubes);
    if (status != LR_OK && result)
        save(ctx, task, result);
    else if (status != LR_OK)
        task_error(ctx, task);
    interrupt_release();
    if (status != LR_OK) {
        lr_keeper_free(keeper);
        lr_result_free(result);
        return status == LR_ERROR_INTERRUPTED ? EXIT_STOPPED : EXIT_ERROR;
    }
    LR_INIT(summary);
    lr_result_summary(result, &summary);
    const bool stopped =
        (interrupt_happened() || lr_team_size(ctx) > 1) && (*summary.partial || summary.report_missing);
    if (!*summary.partial && !task->request->keep_state)
        lr_keeper_remove(keeper);
    warn_of_stop(&summary);
    if (stopped && lr_keeper_left(keeper))
        tell(console, "to continue from the last statepoint, repeat the command with --resume");
    lr_keeper_free(keeper);
    summarise(ctx, task, result, cubes, json);
    lr_text_free(cubes);
    lr_result_free(result);
    return stopped ? EXIT_STOPPED : EXIT_GOOD;
}
