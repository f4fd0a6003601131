/* For tests of the model loader: a scratch folder, a base model whose parts tests replace, and HDF5 files made on the
 * fly. */
#ifndef LR_TESTS_MODEL_FIXTURE_H
#define LR_TESTS_MODEL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "io/model/model_load.h"
#include "model/model.h"

#define PC 3.0856775814913673e18 /* cm */
#define KM_S 1e5                 /* cm/s */

/* 4 x 2 x 2 cells of 0.5 x 0.5 x 0.5 pc, x from -1 to 1 pc. */
static const char BASE[] = "mesh:\n"
                           "  cells: [4, 2, 2]\n"
                           "  size: [2 pc, 1 pc, 1 pc]\n"
                           "line: lya\n"
                           "medium:\n"
                           "  temperature: 1e4 K\n"
                           "  density: 1e-3 cm^-3\n"
                           "sources:\n"
                           "  - point: {position: [0 pc, 0 pc, 0 pc]}\n"
                           "    spectrum: {monochromatic: 0}\n"
                           "    luminosity: 1 photon/s\n"
                           "run: {packets: 1e5}\n";

struct fixture {
    lr_context *ctx;
    struct units *units;
    lr_model *model;
};

static int fixture_setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->ctx = lr_context_create();
    assert_int_equal(units_create(f->ctx, &f->units), LR_OK);
    *state = f;
    return 0;
}

static int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    lr_model_free(f->model);
    units_free(f->units);
    lr_context_free(f->ctx);
    free(f);
    return 0;
}

/* Load text with settings, NULL-terminated. */
static enum lr_status load_text(struct fixture *f, const char *text, const char *const *settings)
{
    int n = 0;
    while (settings && settings[n])
        n++;
    lr_model_free(f->model);
    f->model = NULL;
    return model_load_text(f->ctx, f->units, "m.yaml", text, strlen(text), settings, n, &f->model);
}

static inline const lr_model *load_ok(struct fixture *f, const char *text, const char *const *settings)
{
    if (load_text(f, text, settings) != LR_OK)
        fail_msg("%s", lr_last_error(f->ctx));
    return f->model;
}

#define LOAD(f, ...) load_ok((f), BASE, (const char *const[]){__VA_ARGS__, NULL})

/* The load fails with exactly this message. */
static inline void expect_error(struct fixture *f, const char *text, const char *setting, const char *message)
{
    const char *const settings[] = {setting, NULL};
    enum lr_status status = load_text(f, text, settings);
    assert_int_not_equal(status, LR_OK);
    assert_null(f->model);
    assert_string_equal(lr_last_error(f->ctx), message);
}

static inline void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Write a dataset; units may be NULL. With `create`, the file is created anew. */
static inline void write_dataset(const char *file, bool create, const char *name, hid_t type, int rank,
                                 const hsize_t *shape, const double *values, const char *units)
{
    hid_t id =
        create ? H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) : H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, shape, NULL);
    hid_t dataset = H5Dcreate2(id, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0 && space >= 0 && dataset >= 0);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (units) {
        hid_t text = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
        H5Tset_size(text, strlen(units) + 1);
        hid_t attribute = H5Acreate2(dataset, "units", text, one, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Awrite(attribute, text, units) >= 0);
        H5Aclose(attribute);
        H5Sclose(one);
        H5Tclose(text);
    }
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(id);
}

#endif
