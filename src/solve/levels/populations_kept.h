/* Level populations in statepoints: those that were found, and those of an iteration that goes on from them. */
#ifndef LR_SOLVE_LEVELS_POPULATIONS_KEPT_H
#define LR_SOLVE_LEVELS_POPULATIONS_KEPT_H

#include "model/keeper.h"
#include "model/species.h"

/* Copies of all that belongs to them. `done`: the search for them is over. */
enum lr_status populations_store(lr_context *ctx, const struct populations *found, bool done, struct stored *state);
/* Those of a search that is over; false: there are none. Released with populations_free(). */
enum lr_status populations_restore(lr_context *ctx, const struct stored *state, int64_t n_cell, int n_level,
                                   struct populations *found, bool *done);

/* Saves a statepoint of populations that are still being searched for, if that is worth its while or `now`. */
void populations_save(lr_context *ctx, struct lr_keeper *keeper, double minutes, bool now,
                      const struct populations *found);
/* Whether it would be. */
bool populations_save_is_due(lr_context *ctx, const struct lr_keeper *keeper, double minutes);

#endif
