/* One line of `linerad run`: its model, its run, and the files and the summary that come of it. */
#ifndef LINERAD_CLI_RUN_TASK_H
#define LINERAD_CLI_RUN_TASK_H

#include "json.h"
#include "message.h"
#include "run_request.h"

struct run_task {
    const struct run_request *request;
    int index;        /* of the line in the document */
    const char *line; /* its name; "" in a model with a single line */
    char *output, *prefix;
};

/* Functions return exit codes. */
int run_task_create(const struct run_request *request, int index, struct run_task *task);
void run_task_free(struct run_task *task);
/* Reads the model and checks the paths of its files, so that nothing fails after hours. */
int run_task_check(lr_context *ctx, const struct run_task *task, lr_model **model);
/* Keeps other runs from writing to the same name. */
int run_task_lock(lr_context *ctx, const struct run_task *task, lr_lock **lock);
/* Reads the model once more, without the warnings that were given when it was checked. */
int run_task_reload(lr_context *ctx, const struct run_task *task, struct console *console, lr_model **model);
/* Runs the model, writes its files and prints the summary. */
int run_task_run(lr_context *ctx, const struct run_task *task, struct console *console, const lr_model *model,
                 struct json *json);

#endif
