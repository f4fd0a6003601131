/* Joins the other processes of a job. MPI is in a shared object next to the library with one exported entry, so that
 * the same binary runs on machines with and without it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/library_folder.h"
#include "parallel/communicator.h"
#include "parallel/launcher.h"

static const char MODULE[] = "liblinerad_mpi.so";

/* Looks next to this library and nowhere else, and is kept for the life of the process. What MPI loads in turn needs
 * its symbols: RTLD_GLOBAL. */
static void *open_module(char *why, size_t size)
{
    char path[4096];
    if (!library_folder_find(MODULE, path, sizeof path)) {
        snprintf(why, size, "its module %s is not installed; build linerad where mpicc is found", MODULE);
        return NULL;
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!module)
        snprintf(why, size, "its module cannot be loaded (%s)", dlerror());
    return module;
}

static struct communicator *start(char *why, size_t size)
{
    void *module = open_module(why, size);
    if (!module)
        return NULL;
    lr_communicator_entry_fn *entry = NULL;
    void *symbol = dlsym(module, LR_COMMUNICATOR_MPI_ENTRY);
    memcpy(&entry, &symbol, sizeof entry);
    struct communicator *team = entry ? entry() : NULL;
    if (!team)
        snprintf(why, size, "MPI cannot be started for several threads (MPI_THREAD_SERIALIZED)");
    return team;
}

enum lr_status lr_team_join(lr_context *ctx, enum lr_team_use use)
{
    const struct launcher launcher = launcher_look();
    char why[512];
    if (ctx->team || use == LR_TEAM_OFF || (use == LR_TEAM_AUTO && launcher.size == 1))
        return LR_OK;
    ctx->team = start(why, sizeof why);
    if (!ctx->team && launcher.size > 1)
        return lr_fail(ctx, LR_ERROR_DEVICE,
                       "%s started %d processes, which need MPI to work together: %s; or start one process, or as many "
                       "independent runs with '--mpi off'",
                       launcher.name, launcher.size, why);
    if (!ctx->team)
        return lr_fail(ctx, LR_ERROR_DEVICE, "MPI is not available: %s", why);
    const int size = ctx->team->size, cpus = ctx->team->cpus;
    if (size == launcher.size || launcher.size == 1) {
        if (cpus < omp_get_max_threads())
            omp_set_num_threads(cpus);
        return LR_OK;
    }
    lr_team_leave(ctx);
    return lr_fail(
        ctx, LR_ERROR_DEVICE,
        "%s started %d processes, but MPI sees %d: it is not the MPI that linerad was built with; use its own "
        "mpirun, or 'srun --mpi=pmix' or '--mpi=pmi2'",
        launcher.name, launcher.size, size);
}

int lr_team_rank(const lr_context *ctx)
{
    if (!ctx)
        return launcher_look().rank;
    return ctx->team ? ctx->team->rank : 0;
}

int lr_team_size(const lr_context *ctx)
{
    return ctx->team ? ctx->team->size : 1;
}

void lr_team_leave(lr_context *ctx)
{
    if (ctx->team)
        ctx->team->leave(ctx->team);
    ctx->team = NULL;
}
