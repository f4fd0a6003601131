/* The parts of lr_model_report(), which is in report.c. */
#ifndef LR_SOLVE_REPORT_H
#define LR_SOLVE_REPORT_H

#include <stdio.h>

#include "model/model.h"

struct length_unit {
    const char *name;
    double cm;
};

/* The unit in which a length is a handy number. */
struct length_unit report_length_unit(double length);

/* CPU cores that a run may use. */
double report_cores(const lr_model *model);

/* Cameras, channels, unit and beam, and what they need of memory and time (report_images.c). */
enum lr_status report_images(lr_context *ctx, FILE *out, const lr_model *model);

/* The molecule, what it collides with, and how its levels are found (report_species.c). */
void report_species(FILE *out, const lr_model *model);

#endif
