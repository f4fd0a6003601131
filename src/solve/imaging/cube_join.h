/* One cube from those of several passes, each with some of its channels. */
#ifndef LR_SOLVE_IMAGING_CUBE_JOIN_H
#define LR_SOLVE_IMAGING_CUBE_JOIN_H

#include "model/cube.h"

/* Puts a part, which begins at channel `first`, into the cube with all channels. What is moved rather than copied is
 * taken out of the part. */
enum lr_status cube_join(lr_context *ctx, struct cube *part, int first, const struct channels *all, struct cube *whole);

#endif
