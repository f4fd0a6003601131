/* Models of the grid of `linerad radex`, some thousands at a time: their gas, and their lines. */
#include <stdlib.h>

#include "command.h"
#include "message.h"
#include "radex.h"

static bool allocate(const struct radex_request *request, struct radex_block *block)
{
    double **const arrays[] = {&block->temperature, &block->column, &block->width, &block->background, &block->error};
    double **const lines[] = {&block->excitation, &block->depth, &block->radiation, &block->flux_kelvin,
                              &block->flux_energy};
    bool good = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good = (*arrays[i] = calloc(RADEX_BLOCK, sizeof(double))) && good;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        good = (*lines[i] = calloc((size_t)RADEX_BLOCK * (size_t)block->n_line, sizeof(double))) && good;
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        if (request->density[c].n)
            good = (block->density[c] = calloc(RADEX_BLOCK, sizeof(double))) && good;
    good = (block->population = calloc((size_t)RADEX_BLOCK * (size_t)block->n_level, sizeof(double))) && good;
    good = (block->shown = calloc((size_t)block->n_line + 1, sizeof(int))) && good;
    good = (block->iterations = calloc(RADEX_BLOCK, sizeof(int))) && good;
    return (block->flags = calloc(RADEX_BLOCK, sizeof(int))) && good;
}

int radex_block_create(const struct radex_request *request, const lr_molecule *molecule, struct radex_block *block)
{
    *block = (struct radex_block){.molecule = molecule};
    lr_molecule_size(molecule, &block->n_level, &block->n_line);
    return allocate(request, block) ? EXIT_GOOD : message_error("out of memory");
}

void radex_block_free(struct radex_block *block)
{
    double *const arrays[] = {block->temperature, block->column,      block->width,     block->background,
                              block->error,       block->excitation,  block->depth,     block->radiation,
                              block->flux_kelvin, block->flux_energy, block->population};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        free(block->density[c]);
    free(block->shown);
    free(block->iterations);
    free(block->flags);
}

/* The value of an axis for model `index`, after dividing out the faster axes. */
static double pick(const struct radex_axis *axis, int64_t *index)
{
    const double value = axis->values[*index % axis->n];
    *index /= axis->n;
    return value;
}

static void fill(const struct radex_request *request, int64_t start, struct radex_block *block)
{
    for (int64_t i = 0; i < block->n; i++) {
        int64_t index = start + i;
        block->background[i] = pick(&request->background, &index);
        block->width[i] = pick(&request->width, &index);
        block->column[i] = pick(&request->column, &index);
        for (int c = LR_MAX_COLLIDER - 1; c > 0; c--)
            if (block->density[c])
                block->density[c][i] = pick(&request->density[c], &index);
        block->temperature[i] = pick(&request->temperature, &index);
    }
}

static enum lr_status solve(const struct radex_request *request, const struct radex_block *block)
{
    struct lr_parcels parcels = {.size = sizeof parcels,
                                 .n = block->n,
                                 .temperature = block->temperature,
                                 .column = block->column,
                                 .width = block->width,
                                 .background = block->background,
                                 .geometry = request->geometry,
                                 .error = request->error,
                                 .threads = request->threads,
                                 .overlap = request->overlap};
    const struct lr_parcel_lines lines = {.size = sizeof lines,
                                          .excitation = block->excitation,
                                          .depth = block->depth,
                                          .radiation = block->radiation,
                                          .flux_kelvin = block->flux_kelvin,
                                          .flux_energy = block->flux_energy,
                                          .population = block->population,
                                          .iterations = block->iterations,
                                          .flags = block->flags,
                                          .error = block->error};
    for (int c = 1; c < LR_MAX_COLLIDER; c++) {
        parcels.density[c] = block->density[c];
        parcels.rates_of[c] = request->rates_of[c];
    }
    return lr_solve_parcels(request->ctx, block->molecule, &parcels, &lines);
}

int radex_block_solve(const struct radex_request *request, int64_t start, int64_t n, struct radex_block *block)
{
    block->n = n;
    fill(request, start, block);
    return solve(request, block) == LR_OK ? EXIT_GOOD : message_error("%s", lr_last_error(request->ctx));
}
