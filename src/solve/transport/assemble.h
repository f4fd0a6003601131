/* From raw tallies (code units) to a result (physical units, with errors). */
#ifndef LR_SOLVE_TRANSPORT_ASSEMBLE_H
#define LR_SOLVE_TRANSPORT_ASSEMBLE_H

#include "model/result.h"
#include "solve/transport/job.h"

/* From all batches: replaces what the result has of it. Of the model it needs the mesh and the numbers of batches and
 * threads. */
enum lr_status assemble_result(lr_context *ctx, const struct prepared *prepared, const struct transport_tally *tally,
                               struct lr_result *result);

/* From a position inside a cell of the job (code units) to a point in cm; on shells z is the radius. */
void assemble_point(const struct prepared *prepared, const int32_t cell[3], const double local[3], double point[3]);

/* The part that does not depend on packets. */
void assemble_description(const struct prepared *prepared, struct lr_result *result);

#endif
