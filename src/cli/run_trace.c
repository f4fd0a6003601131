/* The history of one packet as a table: one line per event, after which the packet is where and as the line says. */
#include "run_trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "interrupt.h"
#include "linerad_tools.h"

struct table {
    const struct run_request *request;
    int64_t rows, left_out;
};

static void print_head(const struct table *table, const struct lr_step *step)
{
    printf("packet %" PRId64
           ": after each event, position in %s, frequency x in Doppler units of the gas around it and\n"
           "shift from line centre in those of the reference b (blue positive), direction%s, weight,\n"
           "and depth = optical depth to the next scattering\n",
           table->request->packet, step->unit,
           step->shells ? " as mu, the cosine of the angle to the radius" : " as unit vector");
    printf("%-11s %12s %12s %18s ", "event", "scatterings", "crossings", step->shells ? "shell" : "cell");
    if (step->shells)
        printf("%14s %14s %14s %12s", "r", "x", "shift", "mu");
    else
        printf("%14s %14s %14s %14s %14s %12s %12s %12s", "x", "y", "z", "frequency x", "shift", "n_x", "n_y", "n_z");
    printf(" %12s %12s\n", "weight", "depth");
}

static void print_step(const struct lr_step *step)
{
    char cell[64];
    if (step->shells)
        snprintf(cell, sizeof cell, "%d", step->cell[0]);
    else
        snprintf(cell, sizeof cell, "%d, %d, %d", step->cell[0], step->cell[1], step->cell[2]);
    printf("%-11s %12.0f %12" PRId64 " %18s ", step->event, (double)step->scatterings + step->skipped, step->crossings,
           cell);
    if (step->shells)
        printf("%14.8g %14.8g %14.8g %12.8f", step->position[2], step->x, step->shift, step->direction[2]);
    else
        printf("%14.8g %14.8g %14.8g %14.8g %14.8g %12.8f %12.8f %12.8f", step->position[0], step->position[1],
               step->position[2], step->x, step->shift, step->direction[0], step->direction[1], step->direction[2]);
    printf(" %12.6g %12.6g\n", step->weight, step->depth);
}

/* The first events and the last one are shown. */
static void take_step(void *user, const struct lr_step *step)
{
    struct table *table = user;
    if (table->rows == 0)
        print_head(table, step);
    if (table->rows >= table->request->events && !step->last) {
        table->left_out++;
        return;
    }
    if (table->left_out > 0)
        printf("... %" PRId64 " more events (--events) ...\n", table->left_out);
    print_step(step);
    table->rows++;
}

int run_trace(lr_context *ctx, const struct run_request *request, struct console *console)
{
    struct table table = {.request = request};
    lr_model *model = NULL;
    int code = EXIT_GOOD;
    if (request->lines.end - request->lines.first > 1)
        return message_error("%s has several lines; choose the one to trace with --line", request->model);
    const char *line = lr_document_line(request->document, request->lines.first);
    enum lr_status status = lr_model_create(ctx, request->document, line, &model);
    if (status == LR_OK) {
        interrupt_catch(ctx);
        status = lr_packet_follow(ctx, model, request->packet, take_step, &table);
        interrupt_release();
    }
    console_end_line(console);
    if (status != LR_OK && table.left_out > 0)
        printf("... %" PRId64 " more events (--events) ...\n", table.left_out);
    fflush(stdout);
    if (status != LR_OK)
        code = message_error("%s", lr_last_error(ctx));
    if (status == LR_ERROR_INTERRUPTED)
        code = EXIT_STOPPED;
    lr_model_free(model);
    return code;
}
