/* The parts of lr_model_report(), which is in report.c. */
#ifndef LR_SOLVE_REPORT_REPORT_H
#define LR_SOLVE_REPORT_REPORT_H

#include <stdio.h>

#include "model/model.h"

struct length_unit {
    const char *name;
    double cm;
};

/* The unit in which a length is a convenient number. */
struct length_unit report_length_unit(double length);
/* One that suits the shortest side of the mesh. */
struct length_unit report_mesh_unit(const struct mesh *mesh);

/* Cells, bricks, levels and faces (report_mesh.c). */
void report_mesh(FILE *out, const struct mesh *mesh);

/* A warning if the line shifts abruptly from cell to cell (report_steps.c); also used by a run. */
void report_velocity_steps(lr_context *ctx, const lr_model *model);

/* A warning about lines of the molecule that are left out (report_neighbours.c); also used by a run. */
void report_neighbours(lr_context *ctx, const lr_model *model);

/* Whether opacities and light are only those of LTE, because the run has yet to find the levels. */
bool report_is_before_levels(const lr_model *model);

/* CPU cores that a run may use (report_cost.c). */
double report_cores(const lr_model *model);

/* Cameras, channels, unit and beam, and the memory and time they need (report_images.c); *seconds of ray tracing. */
enum lr_status report_images(lr_context *ctx, FILE *out, const lr_model *model, double *seconds);

/* Jumps, scatterings and time (report_cost.c); *bytes of records that jumps are drawn from. */
enum lr_status report_cost(lr_context *ctx, FILE *out, const lr_model *model, double seconds_images, double *bytes);

/* Warnings about models that are valid but hardly meant (report_doubts.c); `bytes` of memory are needed in any case. */
void report_doubts(lr_context *ctx, const lr_model *model, double bytes);

/* Lines of the molecule that overlap, in equilibrium (report_overlap.c). */
enum lr_status report_overlap(lr_context *ctx, FILE *out, const lr_model *model);
/* The molecule, its collision partners, and how its levels are found (report_species.c). */
void report_species(FILE *out, const lr_model *model);

/* Totals of gas and molecule, and column densities, for comparison with the origin of the model
 * (report_inventory.c). */
void report_inventory(FILE *out, const lr_model *model);

#endif
