#include "solve/team/crew_trace.h"

#include "base/context.h"
#include "solve/team/crew.h"

struct studio {
    struct crew crew;
    const struct worker *worker;
    const struct trace_job *job;
    const struct trace_image *image;
};

/* Rows of the job in turn; probes are left to the first device. */
static enum lr_status trace_rows(void *user, lr_context *ctx, int place)
{
    struct studio *studio = user;
    const struct worker *worker = studio->worker;
    const int n = worker->devices.n, step = studio->job->row_step > 0 ? studio->job->row_step : 1;
    const int threads = worker->threads / n;
    struct trace_image image = *studio->image;
    struct trace_job job = *studio->job;
    const struct transport_monitor monitor = {
        .stop = &studio->crew.stop, .progress = crew_count, .user = &studio->crew.count[place]};
    job.row_first += step * place;
    job.row_step = step * n;
    if (place > 0)
        job.n_probe = 0;
    return worker->backend->trace(ctx, worker->devices.number[place], threads > 0 ? threads : 1,
                                  worker->double_precision, &job, &monitor, &image);
}

enum lr_status crew_trace(lr_context *ctx, const struct worker *worker, const struct trace_job *job,
                          const struct transport_monitor *monitor, struct trace_image *image)
{
    struct studio studio = {
        .crew = {.n = worker->devices.n, .whole = monitor}, .worker = worker, .job = job, .image = image};
    const double start = lr_seconds();
    if (worker->devices.n <= 1)
        return worker->backend->trace(ctx, worker_device(worker), worker->threads, worker->double_precision, job,
                                      monitor, image);
    const enum lr_status status = crew_work(ctx, &studio.crew, trace_rows, &studio);
    image->seconds += lr_seconds() - start;
    return status;
}
