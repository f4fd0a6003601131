/* The spectrum of a source: monochromatic, gaussian, local, band or table; shifts become cm/s (model_shift.c). */
#include "io/model/model_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/hdf5_field.h"
#include "io/model/model_file.h"
#include "io/model/model_shift.h"
#include "io/model/model_value.h"

enum { MAX_TABLE = 1 << 20 };

static enum lr_status read_gaussian(const struct reader *r, const struct yaml_node *map, struct spectrum *spectrum)
{
    const double fwhm_per_sigma = 2.0 * sqrt(2.0 * log(2.0));
    LR_TRY(READER_KEYS(r, map, &SCHEMA_GAUSSIAN));
    const struct yaml_node *sigma = yaml_find(map, "sigma"), *fwhm = yaml_find(map, "fwhm");
    LR_TRY(read_shift(r, shift_scale_of(r->model), yaml_find(map, "centre"), &spectrum->centre));
    if (sigma && fwhm)
        return READER_FAIL(r, fwhm, "'sigma' is also given; remove one of them");
    if (!sigma && !fwhm)
        return yaml_fail_key(r->ctx, r->tree, map, "'sigma' or 'fwhm' is missing");
    LR_TRY(read_shift_width(r, shift_scale_of(r->model), sigma ? sigma : fwhm, &spectrum->width));
    if (fwhm)
        spectrum->width /= fwhm_per_sigma;
    return LR_OK;
}

static enum lr_status read_band(const struct reader *r, const struct yaml_node *map, struct spectrum *spectrum)
{
    const struct yaml_node *from_node = NULL, *to_node = NULL;
    double from = 0.0, to = 0.0;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_BAND));
    LR_TRY(require_key(r, map, "from", &from_node));
    LR_TRY(require_key(r, map, "to", &to_node));
    LR_TRY(read_shift(r, shift_scale_of(r->model), from_node, &from));
    LR_TRY(read_shift(r, shift_scale_of(r->model), to_node, &to));
    spectrum->centre = 0.5 * (from + to);
    spectrum->width = fabs(to - from);
    if (!(spectrum->width > 0.0))
        return READER_FAIL(r, map, "the band has zero width");
    return LR_OK;
}

/* ---- Tables: lists in the model file, or two datasets of one HDF5 file. ---- */

static enum lr_status read_table_lists(const struct reader *r, const struct yaml_node *shift,
                                       const struct yaml_node *density, struct spectrum *spectrum)
{
    LR_TRY(yaml_expect(r->ctx, r->tree, shift, YAML_LIST));
    LR_TRY(yaml_expect(r->ctx, r->tree, density, YAML_LIST));
    if (shift->n_child != density->n_child)
        return READER_FAIL(r, density, "%d densities for %d shifts", density->n_child, shift->n_child);
    spectrum->n_table = shift->n_child;
    LR_TRY(lr_allocate(r->ctx, (size_t)spectrum->n_table, sizeof(double), &spectrum->shift));
    LR_TRY(lr_allocate(r->ctx, (size_t)spectrum->n_table, sizeof(double), &spectrum->density));
    int i = 0;
    for (const struct yaml_node *s = shift->first, *d = density->first; s; s = s->next, d = d->next, i++) {
        LR_TRY(read_shift(r, shift_scale_of(r->model), s, &spectrum->shift[i]));
        LR_TRY(read_quantity(r, d, DIMENSION_ANY, &spectrum->density[i]));
    }
    return LR_OK;
}

/* One column of a table. The first column sets *n; later ones must have the same length. */
static enum lr_status read_column(const struct reader *r, const struct yaml_node *map, const char *key,
                                  const char *dataset, bool is_shift, int *n, double **values)
{
    struct hdf5_array *array = NULL;
    LR_TRY(open_dataset(r, map, key, dataset, &array));
    enum lr_status status = LR_OK;
    int64_t count = array->rank == 1 ? array->shape[0] : 0;
    if (count < 2 || count > MAX_TABLE || (!is_shift && count != *n)) {
        char shape[128];
        hdf5_shape_text(array->shape, array->rank, shape, sizeof shape);
        status =
            READER_FAIL(r, map, "the dataset '%s' has shape %s; a table needs two columns of equal length", key, shape);
        goto close;
    }
    *n = (int)count;
    LR_TRY_OR(close, status, lr_allocate(r->ctx, (size_t)count, sizeof(double), values));
    LR_TRY_OR(close, status, read_dataset(r, map, array, -1, *values));
    if (is_shift)
        LR_TRY_OR(
            close, status,
            convert_shifts(r, shift_scale_of(r->model), map, array->has_units ? array->units : "1", *values, count));
close:
    hdf5_array_close(array);
    return status;
}

static void reverse(double *values, int n)
{
    for (int i = 0; i < n / 2; i++) {
        double swap = values[i];
        values[i] = values[n - 1 - i];
        values[n - 1 - i] = swap;
    }
}

static enum lr_status check_table(const struct reader *r, const struct yaml_node *map, struct spectrum *spectrum)
{
    int n = spectrum->n_table;
    double total = 0.0;
    if (n < 2)
        return READER_FAIL(r, map, "a table needs at least two entries");
    if (spectrum->shift[0] > spectrum->shift[n - 1]) {
        reverse(spectrum->shift, n);
        reverse(spectrum->density, n);
    }
    for (int i = 0; i < n; i++) {
        if (!(spectrum->density[i] >= 0.0 && isfinite(spectrum->density[i])))
            return READER_FAIL(r, map, "the density %g is not a finite number of zero or more", spectrum->density[i]);
        if (i > 0 && !(spectrum->shift[i] > spectrum->shift[i - 1]))
            return READER_FAIL(r, map, "the shifts of a table must all increase or all decrease");
        total += spectrum->density[i];
    }
    return total > 0.0 && isfinite(total) ? LR_OK : READER_FAIL(r, map, "the densities sum to %g", total);
}

static enum lr_status read_table(const struct reader *r, const struct yaml_node *map, struct spectrum *spectrum)
{
    LR_TRY(READER_KEYS(r, map, &SCHEMA_SPECTRUM_TABLE));
    if (yaml_find(map, "file")) {
        LR_TRY(read_column(r, map, "shift", "shift", true, &spectrum->n_table, &spectrum->shift));
        LR_TRY(read_column(r, map, "density", "density", false, &spectrum->n_table, &spectrum->density));
    } else {
        const struct yaml_node *shift = NULL, *density = NULL;
        LR_TRY(require_key(r, map, "shift", &shift));
        LR_TRY(require_key(r, map, "density", &density));
        LR_TRY(read_table_lists(r, shift, density, spectrum));
    }
    return check_table(r, map, spectrum);
}

/* ---- The choice ---- */

static enum lr_status read_kind(const struct reader *r, const struct yaml_node *body, struct spectrum *spectrum)
{
    switch (spectrum->kind) {
    case SPECTRUM_MONOCHROMATIC:
        return read_shift(r, shift_scale_of(r->model), body, &spectrum->centre);
    case SPECTRUM_GAUSSIAN:
        return read_gaussian(r, body, spectrum);
    case SPECTRUM_BAND:
        return read_band(r, body, spectrum);
    case SPECTRUM_TABLE:
        return read_table(r, body, spectrum);
    case SPECTRUM_LOCAL:
        break;
    }
    return READER_KEYS(r, body, &SCHEMA_NOTHING);
}

static enum lr_status read_frame(const struct reader *r, const struct yaml_node *node, struct spectrum *spectrum)
{
    int frame = spectrum->gas_frame;
    LR_TRY(read_choice(r, node, &SCHEMA_SPECTRUM, "frame", &frame));
    spectrum->gas_frame = frame == 1;
    if (spectrum->kind == SPECTRUM_LOCAL && !spectrum->gas_frame)
        return READER_FAIL(r, node, "a local spectrum is always in the frame of the gas");
    return LR_OK;
}

enum lr_status read_spectrum(const struct reader *r, const struct yaml_node *node, bool in_volume,
                             struct spectrum *spectrum)
{
    enum { N_KIND = 5 }; /* of enum spectrum_kind; they come first in the schema */
    if (node->kind == YAML_SCALAR && strcmp(node->text, "local") == 0) {
        spectrum->kind = SPECTRUM_LOCAL;
        spectrum->gas_frame = true;
        return LR_OK;
    }
    LR_TRY(READER_KEYS(r, node, &SCHEMA_SPECTRUM));
    const struct yaml_node *body = NULL;
    for (int kind = 0; kind < N_KIND; kind++) {
        const struct yaml_node *found = yaml_find(node, SCHEMA_SPECTRUM.key[kind].name);
        if (found && body)
            return yaml_fail_key(r->ctx, r->tree, found, "a spectrum has one kind; '%s' is also given", body->key);
        if (found) {
            body = found;
            spectrum->kind = (enum spectrum_kind)kind;
        }
    }
    if (!body)
        return READER_FAIL(r, node, "a spectrum must be one of: monochromatic, gaussian, local, band, table");
    LR_TRY(read_kind(r, body, spectrum));
    spectrum->gas_frame = in_volume || spectrum->kind == SPECTRUM_LOCAL;
    return read_frame(r, yaml_find(node, "frame"), spectrum);
}
