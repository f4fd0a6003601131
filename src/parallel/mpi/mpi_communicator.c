/* The communicator on MPI 3.1: liblinerad_mpi.so, the only file that knows MPI. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>

#include "parallel/communicator.h"

/* MPI counts with int. */
static const int64_t MOST = 1 << 30;

/* Memory that the ranks of a machine share. */
struct shared {
    struct shared *next;
    MPI_Win window;
    void *memory;
    bool released; /* by this rank */
};

struct mpi {
    struct communicator team;
    pthread_mutex_t mutex; /* one thread at a time calls MPI */
    MPI_Comm all, node;    /* the ranks of this machine */
    struct shared *shared;
    MPI_Win window;
    int64_t *board; /* on rank 0 */
};

static void lock(struct mpi *mpi)
{
    pthread_mutex_lock(&mpi->mutex);
}

static void unlock(struct mpi *mpi)
{
    pthread_mutex_unlock(&mpi->mutex);
}

static int piece(int64_t left)
{
    return (int)(left < MOST ? left : MOST);
}

/* Waits with pauses. MPI itself would do so at full speed, and take processors away from ranks that still work. */
static void wait_for(struct mpi *mpi, MPI_Request *request)
{
    const struct timespec longest = {.tv_nsec = 2000000};
    struct timespec pause = {.tv_nsec = 10000};
    for (int done = 0; !done;) {
        lock(mpi);
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        unlock(mpi);
        if (!done)
            nanosleep(&pause, NULL);
        if (pause.tv_nsec < longest.tv_nsec)
            pause.tv_nsec += pause.tv_nsec / 4;
    }
}

static void exchange(struct communicator *team, int64_t mine, int64_t *to)
{
    struct mpi *mpi = team->own;
    MPI_Request request;
    lock(mpi);
    MPI_Iallgather(&mine, 1, MPI_INT64_T, to, 1, MPI_INT64_T, mpi->all, &request);
    unlock(mpi);
    wait_for(mpi, &request);
}

static void broadcast(struct communicator *team, int from, void *data, int64_t bytes)
{
    struct mpi *mpi = team->own;
    lock(mpi);
    for (int64_t at = 0; at < bytes; at += MOST)
        MPI_Bcast((char *)data + at, piece(bytes - at), MPI_BYTE, from, mpi->all);
    unlock(mpi);
}

static void sum(struct mpi *mpi, char *data, int64_t n, int64_t size, MPI_Datatype type)
{
    lock(mpi);
    for (int64_t at = 0; at < n; at += MOST)
        if (mpi->team.rank == 0)
            MPI_Reduce(MPI_IN_PLACE, data + at * size, piece(n - at), type, MPI_SUM, 0, mpi->all);
        else
            MPI_Reduce(data + at * size, NULL, piece(n - at), type, MPI_SUM, 0, mpi->all);
    unlock(mpi);
}

static void sum_doubles(struct communicator *team, double *data, int64_t n)
{
    sum(team->own, (char *)data, n, sizeof *data, MPI_DOUBLE);
}

static void sum_floats(struct communicator *team, float *data, int64_t n)
{
    sum(team->own, (char *)data, n, sizeof *data, MPI_FLOAT);
}

static void join(struct communicator *team, void *data, int64_t bytes)
{
    struct mpi *mpi = team->own;
    lock(mpi);
    for (int64_t at = 0; at < bytes; at += MOST)
        MPI_Allreduce(MPI_IN_PLACE, (char *)data + at, piece(bytes - at), MPI_BYTE, MPI_BOR, mpi->all);
    unlock(mpi);
}

static void collect(struct communicator *team, const void *mine, int64_t bytes, void *to)
{
    struct mpi *mpi = team->own;
    int64_t *sizes = malloc((size_t)team->size * sizeof *sizes);
    char *next = to;
    if (!sizes)
        MPI_Abort(mpi->all, 2);
    exchange(team, bytes, sizes);
    lock(mpi);
    for (int r = 1; r < team->size; r++)
        for (int64_t at = 0; at < sizes[r]; at += MOST)
            if (team->rank == 0) {
                MPI_Recv(next, piece(sizes[r] - at), MPI_BYTE, r, 0, mpi->all, MPI_STATUS_IGNORE);
                next += piece(sizes[r] - at);
            } else if (team->rank == r) {
                MPI_Send((const char *)mine + at, piece(sizes[r] - at), MPI_BYTE, 0, 0, mpi->all);
            }
    unlock(mpi);
    free(sizes);
}

static int64_t board_add(struct communicator *team, enum board_slot slot, int64_t value)
{
    struct mpi *mpi = team->own;
    int64_t before = 0;
    lock(mpi);
    MPI_Fetch_and_op(&value, &before, MPI_INT64_T, 0, slot, MPI_SUM, mpi->window);
    MPI_Win_flush(0, mpi->window);
    unlock(mpi);
    return before;
}

/* ---- memory of a machine ---- */

/* Open MPI and MPICH put it into /dev/shm, and a rank that finds no room there leaves the others waiting. */
static bool has_room(int64_t bytes)
{
    struct statvfs place;
    return statvfs("/dev/shm", &place) != 0 || 0.95 * (double)place.f_bavail * (double)place.f_frsize > (double)bytes;
}

static void free_shared(struct mpi *mpi, bool all)
{
    for (struct shared **link = &mpi->shared; *link;) {
        struct shared *shared = *link;
        int everywhere = all || shared->released;
        MPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_MIN, mpi->node);
        if (everywhere) {
            *link = shared->next;
            MPI_Win_unlock_all(shared->window);
            MPI_Win_free(&shared->window);
            free(shared);
        } else {
            link = &shared->next;
        }
    }
}

static bool make_shared(struct mpi *mpi, int64_t bytes, struct shared *shared)
{
    const bool first = mpi->team.node_rank == 0;
    MPI_Aint size = 0;
    int unit = 1;
    if (MPI_Win_allocate_shared(first ? (MPI_Aint)bytes : 0, 1, MPI_INFO_NULL, mpi->node, &shared->memory,
                                &shared->window) != MPI_SUCCESS)
        return false;
    MPI_Win_shared_query(shared->window, 0, &size, &unit, &shared->memory);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, shared->window);
    shared->next = mpi->shared;
    mpi->shared = shared;
    return true;
}

static void *share_memory(struct communicator *team, int64_t bytes)
{
    struct mpi *mpi = team->own;
    struct shared *shared = calloc(1, sizeof *shared);
    int good = shared && (team->node_rank > 0 || (bytes > 0 && has_room(bytes)));
    lock(mpi);
    free_shared(mpi, false);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, mpi->node);
    good = good && make_shared(mpi, bytes, shared);
    unlock(mpi);
    if (!good)
        free(shared);
    return good ? shared->memory : NULL;
}

static struct shared *find_shared(const struct mpi *mpi, const void *memory)
{
    struct shared *shared = mpi->shared;
    while (shared && shared->memory != memory)
        shared = shared->next;
    return shared;
}

static void publish_memory(struct communicator *team, void *memory)
{
    struct mpi *mpi = team->own;
    const struct shared *shared = find_shared(mpi, memory);
    MPI_Request request;
    lock(mpi);
    MPI_Win_sync(shared->window);
    MPI_Ibarrier(mpi->node, &request);
    unlock(mpi);
    wait_for(mpi, &request);
    lock(mpi);
    MPI_Win_sync(shared->window);
    unlock(mpi);
}

static void unshare_memory(struct communicator *team, void *memory)
{
    struct shared *shared = find_shared(team->own, memory);
    if (shared)
        shared->released = true;
}

/* ---- the end ---- */

static void leave(struct communicator *team)
{
    struct mpi *mpi = team->own;
    MPI_Request request;
    MPI_Ibarrier(mpi->all, &request);
    wait_for(mpi, &request);
    free_shared(mpi, true);
    MPI_Comm_free(&mpi->node);
    MPI_Win_unlock_all(mpi->window);
    MPI_Win_free(&mpi->window);
    MPI_Comm_free(&mpi->all);
    MPI_Finalize();
    pthread_mutex_destroy(&mpi->mutex);
    free(mpi);
}

static void abandon(struct communicator *team, int code)
{
    struct mpi *mpi = team->own;
    MPI_Abort(mpi->all, code);
}

/* A processor that several ranks of a machine may run on is divided among them: so many are for this one. */
static int share_of_cpus(MPI_Comm node)
{
    enum { MOST_CPUS = CPU_SETSIZE };
    int users[MOST_CPUS] = {0};
    double share = 0;
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_SET(0, &mine);
    for (int c = 0; c < MOST_CPUS; c++)
        users[c] = CPU_ISSET(c, &mine) != 0;
    MPI_Allreduce(MPI_IN_PLACE, users, MOST_CPUS, MPI_INT, MPI_SUM, node);
    for (int c = 0; c < MOST_CPUS; c++)
        share += CPU_ISSET(c, &mine) ? 1.0 / users[c] : 0;
    return share < 1 ? 1 : (int)(share + 1e-6);
}

static void look_around(struct mpi *mpi)
{
    struct communicator *team = &mpi->team;
    MPI_Comm_rank(mpi->all, &team->rank);
    MPI_Comm_size(mpi->all, &team->size);
    MPI_Comm_split_type(mpi->all, MPI_COMM_TYPE_SHARED, team->rank, MPI_INFO_NULL, &mpi->node);
    MPI_Comm_set_errhandler(mpi->node, MPI_ERRORS_RETURN); /* memory may be lacking */
    MPI_Comm_rank(mpi->node, &team->node_rank);
    MPI_Comm_size(mpi->node, &team->node_size);
    team->cpus = share_of_cpus(mpi->node);
}

static void put_up_board(struct mpi *mpi)
{
    const MPI_Aint bytes = mpi->team.rank == 0 ? N_BOARD_SLOT * (MPI_Aint)sizeof(int64_t) : 0;
    MPI_Win_allocate(bytes, sizeof(int64_t), MPI_INFO_NULL, mpi->all, &mpi->board, &mpi->window);
    for (int slot = 0; mpi->team.rank == 0 && slot < N_BOARD_SLOT; slot++)
        mpi->board[slot] = 0;
    MPI_Barrier(mpi->all);
    MPI_Win_lock_all(0, mpi->window);
}

__attribute__((visibility("default"))) struct communicator *lr_communicator_mpi(void)
{
    int provided = MPI_THREAD_SINGLE;
    struct mpi *mpi = calloc(1, sizeof *mpi);
    if (!mpi || MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_SERIALIZED) {
        free(mpi);
        return NULL;
    }
    mpi->team = (struct communicator){.own = mpi,
                                      .exchange = exchange,
                                      .broadcast = broadcast,
                                      .sum_doubles = sum_doubles,
                                      .sum_floats = sum_floats,
                                      .join = join,
                                      .collect = collect,
                                      .share = share_memory,
                                      .publish = publish_memory,
                                      .unshare = unshare_memory,
                                      .board_add = board_add,
                                      .leave = leave,
                                      .abandon = abandon};
    pthread_mutex_init(&mpi->mutex, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi->all);
    look_around(mpi);
    put_up_board(mpi);
    return &mpi->team;
}
