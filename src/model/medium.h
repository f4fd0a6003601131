/* The derived fields of a medium: Doppler parameter, opacity and damping from temperature and density. Each works in
 * place, so that a large mesh needs at most one temporary array. */
#ifndef LR_MODEL_MEDIUM_H
#define LR_MODEL_MEDIUM_H

#include "model/model.h"

void medium_free(struct medium *medium);

/* medium->b holds temperatures (K) and becomes b (cm/s); `turbulence` (cm/s) may be overwritten. */
void medium_derive_b(const struct line *line, int64_t n_cell, struct medium *medium, struct field *turbulence);
/* medium->alpha0 holds lower-level densities (cm^-3) and becomes alpha0 (cm^-1). `upper` holds upper-level densities,
 * or is NULL. *inverted is the first cell with a population inversion, or -1. */
enum lr_status medium_derive_opacity(lr_context *ctx, const struct line *line, int64_t n_cell, struct medium *medium,
                                     const struct field *upper, int64_t *inverted);
enum lr_status medium_derive_damping(lr_context *ctx, const struct line *line, int64_t n_cell, struct medium *medium);

/* The opacity-weighted mean of b (volume-weighted if nothing is opaque). */
double medium_mean_b(const struct mesh *mesh, const struct medium *medium);

/* Line-centre depth tau_c = INT alpha0 ds through the centre of the mesh along an axis, without H(a, 0); tau_mean is
 * sqrt(pi) times that. Across the whole mesh, or from its centre to the upper face. */
double medium_line_centre_depth(const lr_model *model, int axis, bool from_centre);

#endif
