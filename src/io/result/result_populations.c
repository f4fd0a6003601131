/* The group /populations of a result: levels of the molecule, their populations, and how they were found. */
#include <math.h>
#include <stdlib.h>

#include "io/result/result_groups.h"

static enum lr_status write_attributes(struct hdf5_writer *writer, hid_t group, const struct population_result *kept)
{
    const struct populations *found = &kept->found;
    LR_TRY(hdf5_write_text(writer, group, "method", population_method_name(kept->method)));
    LR_TRY(hdf5_write_text(writer, group, "molecule", kept->molecule));
    LR_TRY(hdf5_write_text(writer, group, "transition", kept->transition));
    LR_TRY(hdf5_write_integer(writer, group, "line", kept->line));
    LR_TRY(hdf5_write_integer(writer, group, "stimulated_emission", kept->stimulated));
    LR_TRY(hdf5_write_integer(writer, group, "inverted_cells", kept->n_inverted));
    LR_TRY(hdf5_write_number(writer, group, "inversion", kept->inversion));
    LR_TRY(hdf5_write_quantity(writer, group, "seconds", found->seconds, "s"));
    if (!population_method_collides(kept->method))
        return LR_OK;
    LR_TRY(hdf5_write_quantity(writer, group, "background", kept->background, "K"));
    LR_TRY(hdf5_write_integer(writer, group, "converged", found->converged));
    LR_TRY(hdf5_write_integer(writer, group, "directions", found->directions));
    LR_TRY(hdf5_write_integer(writer, group, "iterations", found->iterations > 0 ? found->iterations : found->n_step));
    return hdf5_write_number(writer, group, "noise", found->noise);
}

static enum lr_status write_levels(struct hdf5_writer *writer, hid_t group, const struct population_result *kept)
{
    const size_t n = (size_t)kept->n_level;
    double *numbers = NULL;
    const char **labels = NULL;
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, lr_allocate(writer->ctx, 2 * n, sizeof(double), &numbers));
    LR_TRY_OR(done, status, lr_allocate(writer->ctx, n, sizeof *labels, &labels));
    for (size_t i = 0; i < n; i++) {
        numbers[i] = kept->level[i].energy;
        numbers[n + i] = kept->level[i].weight;
        labels[i] = kept->level[i].label;
    }
    LR_TRY_OR(
        done, status,
        hdf5_write_doubles(writer, group, "level_energy", n, 0, 0, numbers, "1/cm", "energies above the lowest level"));
    LR_TRY_OR(done, status,
              hdf5_write_doubles(writer, group, "level_weight", n, 0, 0, numbers + n, "1", "statistical weights"));
    status = hdf5_write_texts(writer, group, "level_labels", labels, kept->n_level);
done:
    free(labels);
    free(numbers);
    return status;
}

static enum lr_status write_history(struct hdf5_writer *writer, hid_t group, const struct populations *found)
{
    enum { N_COLUMN = 4 };
    const size_t n = (size_t)found->n_step;
    const char *const names[N_COLUMN] = {"change", "error", "radius", "accelerated"};
    const char *const texts[N_COLUMN] = {"relative change of populations in each iteration",
                                         "estimated relative error after each iteration",
                                         "estimated spectral radius of the iteration", "1 where it was accelerated"};
    double *column = NULL;
    enum lr_status status = LR_OK;
    if (n == 0)
        return LR_OK;
    LR_TRY(lr_allocate(writer->ctx, n, sizeof(double), &column));
    for (int c = 0; c < N_COLUMN && status == LR_OK; c++) {
        for (size_t i = 0; i < n; i++) {
            const struct population_step *step = &found->step[i];
            const double values[N_COLUMN] = {step->change, step->error, step->radius, step->accelerated ? 1.0 : 0.0};
            column[i] = values[c];
        }
        char name[32];
        snprintf(name, sizeof name, "history_%s", names[c]);
        status = hdf5_write_doubles(writer, group, name, n, 0, 0, column, "1", texts[c]);
    }
    free(column);
    return status;
}

static enum lr_status write_cells(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    const struct population_result *kept = result->populations;
    const struct populations *found = &kept->found;
    const struct mesh *mesh = &result->mesh;
    const struct hdf5_dataset fraction = {.name = "fraction",
                                          .memory_type = H5T_NATIVE_DOUBLE,
                                          .file_type = H5T_IEEE_F64LE,
                                          .data = found->x,
                                          .units = "1",
                                          .description = "fractional population of each level, per cell [x, y, z, "
                                                         "level], [shell, level] or [brick, x, y, z, level]"};
    const struct hdf5_dataset excitation = {
        .name = "excitation_temperature",
        .memory_type = H5T_NATIVE_DOUBLE,
        .file_type = H5T_IEEE_F64LE,
        .data = kept->excitation,
        .units = "K",
        .description = "of the imaged line, per cell; negative where inverted, NaN without gas"};
    const struct hdf5_dataset residual = {.name = "residual",
                                          .memory_type = H5T_NATIVE_FLOAT,
                                          .file_type = H5T_IEEE_F32LE,
                                          .data = found->residual,
                                          .units = "1",
                                          .description = "relative change in the last iteration, per cell"};
    if (found->x)
        LR_TRY(result_field_write(writer, group, mesh, kept->n_level, fraction));
    if (kept->excitation)
        LR_TRY(result_field_write(writer, group, mesh, 0, excitation));
    return found->residual && found->x ? result_field_write(writer, group, mesh, 0, residual) : LR_OK;
}

enum lr_status result_populations_write(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    LR_TRY(write_attributes(writer, group, result->populations));
    LR_TRY(write_levels(writer, group, result->populations));
    LR_TRY(write_history(writer, group, &result->populations->found));
    return write_cells(writer, group, result);
}
