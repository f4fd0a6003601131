/* Frequencies, as shifts c (nu - nu0) / nu0 in cm/s, positive = blue. */
#ifndef LR_IO_MODEL_MODEL_SHIFT_H
#define LR_IO_MODEL_MODEL_SHIFT_H

#include "io/model/model_reader.h"

/* The line that shifts are relative to. */
struct shift_scale {
    double nu0;         /* Hz */
    double reference_b; /* cm/s, of Doppler units */
};

struct shift_scale shift_scale_of(const lr_model *model);

/* A plain number of Doppler units of reference_b, a radio velocity (positive = red), or a frequency. */
enum lr_status read_shift(const struct reader *r, struct shift_scale scale, const struct yaml_node *node,
                          double *shift);
/* The same for a width, > 0. */
enum lr_status read_shift_width(const struct reader *r, struct shift_scale scale, const struct yaml_node *node,
                                double *width);
/* Two different ones, [from, to] in either order, as range[0] < range[1]. */
enum lr_status read_shift_range(const struct reader *r, struct shift_scale scale, const struct yaml_node *node,
                                double range[2]);
/* The same for an array with a unit string ("" or "1" = Doppler units), in place. */
enum lr_status convert_shifts(const struct reader *r, struct shift_scale scale, const struct yaml_node *node,
                              const char *unit, double *values, int64_t n);

#endif
