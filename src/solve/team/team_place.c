#include "solve/team/team_place.h"

#include "base/context.h"
#include "parallel/communicator.h"
#include "parallel/meeting.h"

static struct device_list take_turns(const struct device_list *all, int rank, int ranks)
{
    struct device_list own = {0};
    for (int i = rank % all->n; i < all->n; i += ranks)
        own.number[own.n++] = all->number[i];
    return own;
}

void team_choose_devices(const lr_context *ctx, struct worker *worker)
{
    struct device_list *devices = &worker->devices;
    const int count = worker->backend->device_count();
    if (!team_is_large(ctx) || devices->named)
        return;
    if (devices->all)
        *devices = take_turns(devices, ctx->team->node_rank, ctx->team->node_size);
    else
        devices->number[0] = ctx->team->node_rank % count;
}

/* How often a device of this list is open on this machine, at most. */
static int times_open(const lr_context *ctx, const struct worker *worker)
{
    const struct device_list *devices = &worker->devices;
    const int ranks = team_is_large(ctx) ? ctx->team->node_size : 1, count = worker->backend->device_count();
    int most = 0;
    for (int i = 0; i < devices->n; i++) {
        int times = 0;
        for (int j = 0; j < devices->n; j++)
            times += devices->number[j] == devices->number[i];
        most = times > most ? times : most;
    }
    return devices->named ? most * ranks : (ranks + count - 1) / count;
}

enum lr_status team_describe_device(lr_context *ctx, const struct worker *worker, struct transport_device *device)
{
    LR_TRY(worker->backend->device_describe(ctx, worker_device(worker), device));
    for (int i = 1; i < worker->devices.n; i++) {
        struct transport_device other;
        LR_TRY(worker->backend->device_describe(ctx, worker->devices.number[i], &other));
        if (other.memory_bytes < device->memory_bytes)
            device->memory_bytes = other.memory_bytes;
    }
    device->memory_bytes /= times_open(ctx, worker);
    return team_least(ctx, PLACE_MEMORY, &device->memory_bytes);
}

enum lr_status team_host_memory(lr_context *ctx, const struct worker *worker, double *bytes)
{
    const int ranks = team_is_large(ctx) ? ctx->team->node_size : 1;
    struct transport_device host;
    LR_TRY(backend_cpu()->device_describe(ctx, 0, &host));
    *bytes = host.memory_bytes / (ranks * worker->devices.n);
    return team_least(ctx, PLACE_MEMORY, bytes);
}
