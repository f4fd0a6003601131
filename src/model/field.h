/* Fields over the mesh: one number, or one per cell, and the few operations that building a medium needs. */
#ifndef LR_MODEL_FIELD_H
#define LR_MODEL_FIELD_H

#include "model/model.h"

void field_free(struct field *field);
/* Expand a constant field to one value per cell. */
enum lr_status field_expand(lr_context *ctx, struct field *field, int64_t n_cell);
/* Store a constant field as one number. */
void field_compact(struct field *field, int64_t n_cell);
void field_scale(struct field *field, int64_t n_cell, double factor);
bool field_is_zero(const struct field *field, int64_t n_cell);

struct field_range {
    double low, mean, high; /* the mean is over volume */
};
struct field_range field_measure(const struct field *field, const struct mesh *mesh);

/* INT field ds along an axis through the centre of the mesh: across the whole mesh, or from its centre to its upper
 * face. A centre on the boundary of two rows of cells gives the mean of both. Shells are the same along all axes. */
double field_depth(const struct field *field, const struct mesh *mesh, int axis, bool from_centre);
/* The largest INT field ds over all rows of cells along an axis. */
double field_largest_depth(const struct field *field, const struct mesh *mesh, int axis);

#endif
