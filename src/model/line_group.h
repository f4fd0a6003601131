/* Lines that overlap (struct line_group). With d the offset of a line and s a shift from the frequency of the first
 * one, the shift from the line itself is
 *
 *     s_l = (s - c d) / (1 + d),       x_l = (s_l - v) / b   in gas that moves with v,
 *
 * and its opacity at its centre follows from that of the first line, if both are absorbed from levels with populations
 * n_l and n_0,
 *
 *     alpha_l / alpha_0 = (n_l / n_0) sigma_l / sigma_0,
 *     sigma_l / sigma_0 = (g_u A / g_l)_l / (g_u A / g_l)_0 (1 + d)^-3
 *
 * times the brackets of stimulated emission. Photons per unit of s, that of the first line, are 1 / (1 + d) of those
 * per unit of s_l. */
#ifndef LR_MODEL_LINE_GROUP_H
#define LR_MODEL_LINE_GROUP_H

#include "base/context.h"
#include "model/model.h"

/* Offsets beyond this are refused: all lines are seen against the background, the dust and the channels of the first.
 */
#define LINE_GROUP_REACH 0.01
enum { LINE_GROUP_MOST = 256 };

/* A group of nothing but this line. */
enum lr_status line_group_single(lr_context *ctx, const struct line *line, struct line_group *group);

/* A member as a line of its own: with its frequency, A, weights, gamma and mass. */
struct line line_group_line(const struct line *first, const struct line_member *member);

/* sigma_l / sigma_0, the same at all Doppler parameters. */
double line_group_cross_section(const struct line *first, const struct line_member *member);
/* a_l / a_0. */
double line_group_damping(const struct line *first, const struct line_member *member);
/* Radio velocity of its centre on the axis of the first line, cm/s: receding is positive. */
double line_group_velocity(const struct line_member *member);
/* The share of the lines of this upper level, among those of the group, that this one has of its decays: A_m / SUM A.*/
double line_group_branching(const struct line_group *group, int member);

#endif
