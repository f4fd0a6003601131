/* The members of a packet, in groups that change together: type, name of an array of them, member of struct packet. For
 * drivers that keep packets as arrays or put them aside. */
#ifndef LR_KERNEL_PACKET_MEMBERS_H
#define LR_KERNEL_PACKET_MEMBERS_H

#include "kernel/packet.h"

#define PLACE_MEMBERS(MEMBER)                                                                                          \
    MEMBER(real, local_x, at.local.x)                                                                                  \
    MEMBER(real, local_y, at.local.y)                                                                                  \
    MEMBER(real, local_z, at.local.z)
#define CELL_MEMBERS(MEMBER)                                                                                           \
    MEMBER(int, i, at.i)                                                                                               \
    MEMBER(int, j, at.j)                                                                                               \
    MEMBER(int, k, at.k)                                                                                               \
    EXTENT_MEMBERS(MEMBER)                                                                                             \
    MEMBER(int, cell, cell)
/* Known from the cell (packet_enter). */
#define GAS_MEMBERS(MEMBER)                                                                                            \
    MEMBER(real, alpha0, alpha0)                                                                                       \
    MEMBER(real, a, a)                                                                                                 \
    MEMBER(real, b, b)                                                                                                 \
    MEMBER(real, core, core)                                                                                           \
    MEMBER(real, kappa, kappa)                                                                                         \
    MEMBER(real, eps, eps)                                                                                             \
    MEMBER(real, outflow, outflow)                                                                                     \
    MEMBER(real, hidden_reach, hidden.reach)                                                                           \
    MEMBER(real, hidden_slope, hidden.slope)
#define PHOTON_MEMBERS(MEMBER)                                                                                         \
    MEMBER(real, n_x, n.x)                                                                                             \
    MEMBER(real, n_y, n.y)                                                                                             \
    MEMBER(real, n_z, n.z)                                                                                             \
    MEMBER(real, x, x)                                                                                                 \
    MEMBER(real, tau, tau)                                                                                             \
    MEMBER(int32_t, state, state)                                                                                      \
    MEMBER(uint32_t, draw, draw)                                                                                       \
    MEMBER(uint32_t, events, events)
#define SUM_MEMBERS(MEMBER)                                                                                            \
    MEMBER(real, path_part, path_part)                                                                                 \
    MEMBER(real, scatter, scatter)
/* With absorption. */
#define LOSS_MEMBERS(MEMBER)                                                                                           \
    MEMBER(real, length, length)                                                                                       \
    MEMBER(real, depth, depth)                                                                                         \
    MEMBER(real, scattered, scattered)
#define WEIGHT_MEMBERS(MEMBER)                                                                                         \
    MEMBER(real, weight, weight)                                                                                       \
    MEMBER(double, settled, settled)                                                                                   \
    MEMBER(double, absorbed, absorbed)                                                                                 \
    MEMBER(double, scattered_sum, scattered_sum)
#define NAME_MEMBERS(MEMBER)                                                                                           \
    MEMBER(uint32_t, id_low, id_low)                                                                                   \
    MEMBER(uint32_t, id_high, id_high)                                                                                 \
    MEMBER(uint16_t, batch, batch)                                                                                     \
    MEMBER(uint16_t, group, group)
#define PATH_MEMBERS(MEMBER)                                                                                           \
    MEMBER(real, path, path)                                                                                           \
    MEMBER(uint32_t, crossings, crossings)
/* With jumps. */
#define JUMP_MEMBERS(MEMBER) MEMBER(double, skipped, skipped)
/* With cameras. */
#define SHARE_MEMBERS(MEMBER)                                                                                          \
    MEMBER(real, owed, owed)                                                                                           \
    MEMBER(real, owed_depth, owed_depth)                                                                               \
    MEMBER(uint32_t, debt, debt)
/* With cameras, in shells. */
#define ASIDE_MEMBERS(MEMBER)                                                                                          \
    MEMBER(real, kept_x, kept_x)                                                                                       \
    MEMBER(real, kept_n_x, kept_n.x)                                                                                   \
    MEMBER(real, kept_n_y, kept_n.y)                                                                                   \
    MEMBER(real, kept_n_z, kept_n.z)                                                                                   \
    MEMBER(real, aside, aside)

/* What the history of a packet depends on. */
#define LIFE_MEMBERS(MEMBER)                                                                                           \
    PLACE_MEMBERS(MEMBER)                                                                                              \
    CELL_MEMBERS(MEMBER)                                                                                               \
    PHOTON_MEMBERS(MEMBER)                                                                                             \
    SUM_MEMBERS(MEMBER)                                                                                                \
    LOSS_MEMBERS(MEMBER)                                                                                               \
    WEIGHT_MEMBERS(MEMBER)                                                                                             \
    NAME_MEMBERS(MEMBER)                                                                                               \
    PATH_MEMBERS(MEMBER)                                                                                               \
    JUMP_MEMBERS(MEMBER)                                                                                               \
    SHARE_MEMBERS(MEMBER)                                                                                              \
    ASIDE_MEMBERS(MEMBER)

#define PACKET_MEMBERS(MEMBER)                                                                                         \
    LIFE_MEMBERS(MEMBER)                                                                                               \
    GAS_MEMBERS(MEMBER)

#endif
