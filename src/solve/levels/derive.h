/* The model that follows from level populations: a shallow copy with opacity and light of its own. */
#ifndef LR_SOLVE_LEVELS_DERIVE_H
#define LR_SOLVE_LEVELS_DERIVE_H

#include "model/excitation.h"

/* *derived borrows everything of the model but alpha0 and the emissivity of gas and thermal sources, made from
 * fractions x[n_cell][n_level]. Release with derive_free(), which takes an empty *derived too. */
enum lr_status derive_model(lr_context *ctx, const lr_model *model, const double *x, lr_model *derived,
                            struct inversion *inversion);
void derive_free(const lr_model *model, lr_model *derived);

#endif
