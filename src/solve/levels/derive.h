/* The model that follows from level populations: a shallow copy with its own opacity and light. */
#ifndef LR_SOLVE_LEVELS_DERIVE_H
#define LR_SOLVE_LEVELS_DERIVE_H

#include "model/excitation.h"

/* *derived borrows everything from the model except alpha0, the emissivity of gas and thermal sources, and the strength
 * of the lines of a group, which are computed from fractions x[n_cell][n_level]. Release with derive_free(), which also
 * accepts an empty *derived. */
enum lr_status derive_model(lr_context *ctx, const lr_model *model, const double *x, lr_model *derived,
                            struct inversion *inversion);
void derive_free(const lr_model *model, lr_model *derived);

#endif
