/* A turbulent cloud: random fields on n x n x n cells, single precision, CGS. */
#ifndef LR_MODEL_CLOUD_H
#define LR_MODEL_CLOUD_H

#include "base/context.h"
#include "linerad_tools.h"

enum cloud_field {
    CLOUD_H2,
    CLOUD_TEMPERATURE,
    CLOUD_VELOCITY_X,
    CLOUD_VELOCITY_Y,
    CLOUD_VELOCITY_Z,
    CLOUD_CO,
    CLOUD_OH,
    N_CLOUD_FIELD
};

struct cloud_field_text {
    const char *name, *units, *description;
};
extern const struct cloud_field_text cloud_field_texts[N_CLOUD_FIELD];

struct lr_cloud {
    struct lr_cloud_options options;
    struct lr_cloud_statistics statistics;
    float *field[N_CLOUD_FIELD]; /* [n][n][n] over x, y, z */
};

static inline size_t cloud_size(const struct lr_cloud *cloud)
{
    const size_t n = (size_t)cloud->options.cells;
    return n * n * n;
}

#endif
