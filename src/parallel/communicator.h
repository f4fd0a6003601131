/* What the processes of one job (ranks) do together. Without MPI there is no communicator, and a process is alone.
 *
 * All functions but board_add() and unshare() are collective: every rank calls them, in the same order. Data of any
 * size are exchanged in pieces of fewer than 2^31 elements. Errors of MPI itself end the job. */
#ifndef LR_PARALLEL_COMMUNICATOR_H
#define LR_PARALLEL_COMMUNICATOR_H

#include <stdint.h>

/* Numbers that lie with rank 0, which any rank can read and increase at any time. They never fall. */
enum board_slot {
    BOARD_CHUNK,    /* of packets, taken */
    BOARD_FINISHED, /* ranks that have nothing more to do */
    BOARD_DONE,     /* packets */
    BOARD_PAUSE,    /* packets in flight are to be put back */
    BOARD_STOP,     /* no more packets are to begin */
    N_BOARD_SLOT
};

struct communicator {
    int rank, size;
    int node_rank, node_size; /* among those on the same machine */
    int cpus;                 /* of the machine, for this rank */
    int failed;               /* status of a rank that has failed: nothing is exchanged any more */
    void *own;                /* of the module */
    /* *to[r] = the number of rank r, everywhere. Ranks that come early sleep; in all other functions they wait at full
     * speed, so that this one goes first. */
    void (*exchange)(struct communicator *team, int64_t mine, int64_t *to);
    void (*broadcast)(struct communicator *team, int from, void *data, int64_t bytes);
    /* Sums on rank 0, in place; what other ranks have is left as it is. */
    void (*sum_doubles)(struct communicator *team, double *data, int64_t n);
    void (*sum_floats)(struct communicator *team, float *data, int64_t n);
    /* Bits that are set in any rank, everywhere, in place: puts arrays together of which each rank has filled a part.
     */
    void (*join)(struct communicator *team, void *data, int64_t bytes);
    /* Rank 0 gets what the others have, one after the other in the order of ranks, without its own. */
    void (*collect)(struct communicator *team, const void *mine, int64_t bytes, void *to);
    /* Memory that all ranks of a machine see, of as many bytes as the first of them says; NULL on all of them if there
     * is none, or that was 0. Its first rank writes to it and then all of these ranks publish it; the others only read.
     * It is given back when all have unshared it, which is not collective, at the next share() or leave(). */
    void *(*share)(struct communicator *team, int64_t bytes);
    void (*publish)(struct communicator *team, void *memory);
    void (*unshare)(struct communicator *team, void *memory);
    /* Adds to a number on the board, and returns what it was before. Any thread may call it. */
    int64_t (*board_add)(struct communicator *team, enum board_slot slot, int64_t value);
    /* Ends the use of MPI: together with all others; or at once, and the others are killed. */
    void (*leave)(struct communicator *team);
    void (*abandon)(struct communicator *team, int code);
};

/* The one symbol of liblinerad_mpi.so: starts MPI. NULL: out of memory, or MPI cannot serve several threads. */
typedef struct communicator *lr_communicator_entry_fn(void);
#define LR_COMMUNICATOR_MPI_ENTRY "lr_communicator_mpi"

#endif
