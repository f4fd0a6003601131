/* The group /populations of a result file. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/result_read.h"

static enum lr_status read_method(const struct hdf5_reader *reader, struct population_result *kept)
{
    char name[32] = "";
    int n = 0;
    LR_TRY(hdf5_read_texts(reader, "/populations", "method", 1, sizeof name, name, &n));
    for (int method = 0; method < N_POPULATION_METHOD; method++)
        if (strcmp(name, population_method_name((enum population_method)method)) == 0) {
            kept->method = (enum population_method)method;
            return LR_OK;
        }
    return hdf5_read_fail(reader, "/populations", "was found by an unknown method");
}

static enum lr_status read_levels(const struct hdf5_reader *reader, struct population_result *kept)
{
    enum { MOST_LEVELS = 1 << 16, LENGTH = sizeof kept->level->label };
    double *energy = NULL, *weight = NULL;
    char *labels = NULL;
    int n = 0, n_label = 0;
    enum lr_status status = hdf5_read_length(reader, "/populations/level_energy", 1, MOST_LEVELS, &n);
    LR_TRY_OR(done, status, status);
    LR_TRY_OR(done, status, hdf5_read_doubles(reader, "/populations/level_energy", 1, &n, 0.0, &energy));
    LR_TRY_OR(done, status, hdf5_read_doubles(reader, "/populations/level_weight", 1, &n, 0.0, &weight));
    LR_TRY_OR(done, status, lr_allocate(reader->ctx, (size_t)n, LENGTH, &labels));
    LR_TRY_OR(done, status, hdf5_read_texts(reader, "/populations", "level_labels", n, LENGTH, labels, &n_label));
    LR_TRY_OR(done, status, lr_allocate(reader->ctx, (size_t)n, sizeof *kept->level, &kept->level));
    for (int i = 0; i < n; i++) {
        kept->level[i].energy = energy[i];
        kept->level[i].weight = weight[i];
        snprintf(kept->level[i].label, LENGTH, "%s", i < n_label ? labels + (size_t)i * LENGTH : "");
    }
    kept->n_level = kept->found.n_level = n;
done:
    free(energy);
    free(weight);
    free(labels);
    return status;
}

static enum lr_status read_history(const struct hdf5_reader *reader, struct populations *found)
{
    enum { N_COLUMN = 4, MOST_STEPS = 1 << 24 };
    static const char *const names[N_COLUMN] = {"/populations/history_change", "/populations/history_error",
                                                "/populations/history_radius", "/populations/history_accelerated"};
    void *column[N_COLUMN] = {NULL};
    int n = 0;
    enum lr_status status = LR_OK;
    if (!hdf5_read_has(reader, names[0]))
        return LR_OK;
    LR_TRY(hdf5_read_length(reader, names[0], 1, MOST_STEPS, &n));
    LR_TRY(lr_allocate(reader->ctx, (size_t)n, sizeof *found->step, &found->step));
    for (int c = 0; c < N_COLUMN && status == LR_OK; c++)
        status = hdf5_read_array(reader, names[c], 1, &n, H5T_NATIVE_DOUBLE, &column[c]);
    for (int i = 0; i < n && status == LR_OK; i++)
        found->step[i] = (struct population_step){.change = ((double *)column[0])[i],
                                                  .error = ((double *)column[1])[i],
                                                  .radius = ((double *)column[2])[i],
                                                  .accelerated = ((double *)column[3])[i] != 0.0};
    found->n_step = status == LR_OK ? n : 0;
    for (int c = 0; c < N_COLUMN; c++)
        free(column[c]);
    return status;
}

static enum lr_status read_numbers(const struct hdf5_reader *reader, struct population_result *kept)
{
    struct populations *found = &kept->found;
    int flag = 0;
    double inverted = 0.0;
    LR_TRY(hdf5_read_integer(reader, "/populations", "line", 0, INT_MAX, &kept->line));
    LR_TRY(hdf5_read_integer(reader, "/populations", "stimulated_emission", 0, 1, &flag));
    kept->stimulated = flag;
    LR_TRY(hdf5_read_number(reader, "/populations", "inverted_cells", 0.0, 9e15, &inverted));
    kept->n_inverted = (int64_t)inverted;
    LR_TRY(hdf5_read_any_number(reader, "/populations", "inversion", &kept->inversion));
    found->noise = found->seconds = NAN; /* unless they are there */
    found->converged = true;             /* without iterations */
    if (hdf5_read_has_attribute(reader, "/populations", "seconds"))
        LR_TRY(hdf5_read_any_number(reader, "/populations", "seconds", &found->seconds));
    if (!population_method_collides(kept->method))
        return LR_OK;
    LR_TRY(hdf5_read_any_number(reader, "/populations", "background", &kept->background));
    LR_TRY(hdf5_read_integer(reader, "/populations", "converged", 0, 1, &flag));
    found->converged = flag;
    LR_TRY(hdf5_read_integer(reader, "/populations", "directions", 0, INT_MAX, &found->directions));
    LR_TRY(hdf5_read_integer(reader, "/populations", "iterations", 0, INT_MAX, &found->iterations));
    return hdf5_read_any_number(reader, "/populations", "noise", &found->noise);
}

static enum lr_status read_cells(const struct hdf5_reader *reader, const struct mesh *mesh,
                                 struct population_result *kept)
{
    LR_TRY(result_field_read(reader, mesh, "/populations/fraction", kept->n_level, H5T_NATIVE_DOUBLE,
                             (void **)&kept->found.x));
    LR_TRY(result_field_read(reader, mesh, "/populations/excitation_temperature", 0, H5T_NATIVE_DOUBLE,
                             (void **)&kept->excitation));
    return result_field_read(reader, mesh, "/populations/residual", 0, H5T_NATIVE_FLOAT,
                             (void **)&kept->found.residual);
}

/* The summary of a run says this too. */
static void summarise(const struct population_result *kept, struct lr_summary *summary)
{
    const struct populations *found = &kept->found;
    snprintf(summary->populations, sizeof summary->populations, "%s", population_method_name(kept->method));
    summary->populations_converged = found->converged;
    summary->population_iterations = found->iterations;
    summary->population_error = found->n_step > 0 ? found->step[found->n_step - 1].error : 0.0;
    summary->population_noise = found->noise;
    summary->seconds_populations = found->seconds;
}

enum lr_status result_populations_read(const struct hdf5_reader *reader, lr_result *result)
{
    int n = 0;
    if (!hdf5_read_has(reader, "/populations"))
        return LR_OK;
    LR_TRY(lr_allocate(reader->ctx, 1, sizeof *result->populations, &result->populations));
    struct population_result *kept = result->populations;
    kept->found.n_cell = mesh_cell_count(&result->mesh);
    LR_TRY(read_method(reader, kept));
    LR_TRY(hdf5_read_texts(reader, "/populations", "molecule", 1, sizeof kept->molecule, kept->molecule, &n));
    LR_TRY(hdf5_read_texts(reader, "/populations", "transition", 1, sizeof kept->transition, kept->transition, &n));
    LR_TRY(read_levels(reader, kept));
    LR_TRY(read_history(reader, &kept->found));
    LR_TRY(read_numbers(reader, kept));
    LR_TRY(read_cells(reader, &result->mesh, kept));
    summarise(kept, &result->summary);
    return LR_OK;
}
