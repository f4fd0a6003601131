/* Escape probability with lines that overlap, such as the components of hyperfine structure. At the frequency nu the
 * gas has the depth and the source function of all lines together,
 *
 *     tau(nu) = SUM_j k_j D_j,   S(nu) = SUM_j k_j x_u(j) / SUM_j k_j D_j   (photons per mode),
 *     k_j = kappa_j phi_j(nu) / phi_j(centre),   D_j = (g_u / g_l) x_l - x_u of line j, tau_j = kappa_j D_j as in
 * escape.h,
 *
 * and the mean intensity of line i is the average over its own Gaussian profile
 *
 *     nbar_i = < beta(tau) nbar_outside + (1 - beta(tau)) S >_i .
 *
 * Escape probability as in RADEX takes beta at line centre instead of this average, so lines that overlap with none
 * also come out with other populations here. */
#ifndef LR_LINES_OVERLAP_H
#define LR_LINES_OVERLAP_H

#include <stdbool.h>

#include "lines/escape.h"

struct overlap_workspace;
enum lr_status overlap_workspace_create(lr_context *ctx, const struct molecule *molecule,
                                        struct overlap_workspace **workspace);
void overlap_workspace_free(struct overlap_workspace *workspace);

/* Whether any lines see each other, with profiles of the Doppler width b (cm/s). */
bool overlap_happens(const struct overlap_workspace *workspace, int n_line, double b);

/* As escape_solve(); all lines have the Doppler width b (cm/s). x comes with the populations of escape_solve(), whose
 * workspace is used too. */
struct escape_outcome overlap_solve(const struct escape_problem *problem, double b, struct escape_workspace *escape,
                                    struct overlap_workspace *workspace, double *x);

#endif
