/* Fields, edges, spectra and packet lists from HDF5: any number type and byte order, units, shapes, damaged files. */
#define _POSIX_C_SOURCE 200809L
#include "model_fixture.h"

#include <unistd.h>

#include "io/hdf5/hdf5_field.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static const char FILE_NAME[] = "test_hdf5_field.h5";
static const hsize_t SHAPE[3] = {4, 2, 2};

/* 1, 2, ... 16 in C order. */
static void write_ramp(hid_t type, const char *units)
{
    double values[16];
    for (int i = 0; i < 16; i++)
        values[i] = i + 1;
    write_dataset(FILE_NAME, true, "rho", type, 3, SHAPE, values, units);
}

static const char DENSITY[] = "medium={temperature: 1e4 K, density: {file: test_hdf5_field.h5, dataset: /rho}}";

static void every_number_type_and_byte_order_is_read(void **state)
{
    struct fixture *f = *state;
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_STD_I32BE, H5T_STD_U8LE};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        write_ramp(types[t], "m-3");
        const lr_model *m = LOAD(f, DENSITY);
        assert_non_null(m->medium.alpha0.values);
        for (int i = 0; i < 16; i++)
            assert_close(m->medium.alpha0.values[i], (i + 1) * 1e-6 * 5.901036310302378e-14, 1e-12);
    }
    unlink(FILE_NAME);
}

static void variable_length_units_are_read(void **state)
{
    struct fixture *f = *state;
    write_ramp(H5T_IEEE_F64LE, NULL);
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "rho", H5P_DEFAULT);
    hid_t text = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
    H5Tset_size(text, H5T_VARIABLE);
    H5Tset_cset(text, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(dataset, "units", text, one, H5P_DEFAULT, H5P_DEFAULT);
    const char *value = "cm**-3";
    assert_true(H5Awrite(attribute, text, &value) >= 0);
    H5Aclose(attribute);
    H5Sclose(one);
    H5Tclose(text);
    H5Dclose(dataset);
    H5Fclose(file);
    const lr_model *m = LOAD(f, DENSITY);
    assert_close(m->medium.alpha0.values[15], 16 * 5.901036310302378e-14, 1e-12);
    unlink(FILE_NAME);
}

static void uniform_dataset_becomes_one_number(void **state)
{
    struct fixture *f = *state;
    double values[16];
    for (int i = 0; i < 16; i++)
        values[i] = 3.0;
    write_dataset(FILE_NAME, true, "rho", H5T_IEEE_F32BE, 3, SHAPE, values, "cm^-3");
    const lr_model *m = LOAD(f, DENSITY);
    assert_null(m->medium.alpha0.values);
    assert_close(m->medium.alpha0.constant, 3 * 5.901036310302378e-14, 1e-12);
    unlink(FILE_NAME);
}

static void vector_dataset_has_components_first(void **state)
{
    struct fixture *f = *state;
    const hsize_t shape[4] = {3, 4, 2, 2};
    double values[48];
    for (int i = 0; i < 48; i++)
        values[i] = i - 20;
    write_dataset(FILE_NAME, true, "v", H5T_IEEE_F64BE, 4, shape, values, "km/s");
    const lr_model *m = LOAD(f, "medium.velocity={file: test_hdf5_field.h5, dataset: v}");
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < 16; i++)
            assert_close(m->medium.velocity[d].values[i], (16 * d + i - 20) * KM_S, 1e-14);
    unlink(FILE_NAME);
}

static void edges_and_tables_come_from_files(void **state)
{
    struct fixture *f = *state;
    const hsize_t three = 3;
    write_dataset(FILE_NAME, true, "xe", H5T_IEEE_F32LE, 1, &three, (const double[]){-1, 0.5, 2}, "pc");
    write_dataset(FILE_NAME, false, "shift", H5T_IEEE_F64LE, 1, &three, (const double[]){-1, 0, 3}, "km/s");
    write_dataset(FILE_NAME, false, "density", H5T_IEEE_F64LE, 1, &three, (const double[]){1, 2, 0}, NULL);
    const lr_model *m =
        LOAD(f, "mesh={edges: {x: {file: test_hdf5_field.h5, dataset: xe}, y: [-1 pc, 1 pc], z: [-1 pc, 1 pc]}}",
             "sources.0.spectrum={table: {file: test_hdf5_field.h5}}");
    assert_int_equal(m->mesh.n[0], 2);
    assert_close(m->mesh.edge[0][1], 0.5 * PC, 1e-14);
    assert_close(m->source[0].spectrum.shift[0], -3e5, 1e-14);
    assert_true(m->source[0].spectrum.density[0] == 0.0);
    unlink(FILE_NAME);
}

static void write_packets(double x, double direction, double weight)
{
    const hsize_t two = 2, two_by_three[2] = {2, 3};
    const double position[] = {0, 0, 0, x, 0.1, -0.2}, directions[] = {0, 0, direction, 1, 2, 2};
    write_dataset(FILE_NAME, true, "position", H5T_IEEE_F64LE, 2, two_by_three, position, "pc");
    write_dataset(FILE_NAME, false, "direction", H5T_IEEE_F64LE, 2, two_by_three, directions, NULL);
    write_dataset(FILE_NAME, false, "velocity", H5T_IEEE_F64LE, 1, &two, (const double[]){0, 30}, "km/s");
    write_dataset(FILE_NAME, false, "weight", H5T_IEEE_F64LE, 1, &two, (const double[]){1, weight}, "photon/s");
}

static void packet_lists_are_read_and_checked(void **state)
{
    struct fixture *f = *state;
    const char *const source = "sources=[{packets: {file: test_hdf5_field.h5}}]";
    write_packets(0.9, 5.0, 3.0);
    const lr_model *m = LOAD(f, source);
    const struct source *s = &m->source[0];
    assert_int_equal(s->n_packet, 2);
    assert_close(s->luminosity, 4.0, 1e-15);
    assert_close(s->packet_position[3], 0.9 * PC, 1e-14);
    assert_close(s->packet_direction[2], 1.0, 1e-15);
    assert_close(s->packet_direction[5], 2.0 / 3.0, 1e-15);
    assert_close(s->packet_shift[1], -30e5, 1e-14);
    write_packets(1.1, 5.0, 3.0);
    expect_error(f, BASE, source, "--set sources: sources.0.packets: packet 1 starts outside the mesh");
    write_packets(0.9, 0.0, 3.0);
    expect_error(f, BASE, source, "--set sources: sources.0.packets: packet 0 has no direction");
    write_packets(0.9, 1.0, -3.0);
    expect_error(f, BASE, source,
                 "--set sources: sources.0.packets: packet 1 has a weight that is negative or not finite");
    expect_error(f, BASE, "sources=[{packets: {file: test_hdf5_field.h5}, spectrum: local}]",
                 "--set sources: sources.0.packets: packet 1 has a weight that is negative or not finite");
    write_packets(0.9, 1.0, 3.0);
    expect_error(f, BASE, "sources=[{packets: {file: test_hdf5_field.h5}, spectrum: local}]",
                 "--set sources: sources.0.spectrum: the packet list already sets this");
    unlink(FILE_NAME);
}

static void bad_values_name_their_cell(void **state)
{
    struct fixture *f = *state;
    double values[16] = {0};
    values[13] = NAN; /* cell [3, 0, 1] */
    write_dataset(FILE_NAME, true, "rho", H5T_IEEE_F64LE, 3, SHAPE, values, "cm^-3");
    expect_error(f, BASE, DENSITY,
                 "--set medium: medium.density: the value nan at cell [3, 0, 1] is not a finite number");
    values[13] = 1.0;
    values[6] = -0.5; /* [1, 1, 0] */
    write_dataset(FILE_NAME, true, "rho", H5T_IEEE_F64LE, 3, SHAPE, values, "cm^-3");
    expect_error(f, BASE, DENSITY, "--set medium: medium.density: the value -0.5 at cell [1, 1, 0] is negative");
    values[6] = INFINITY;
    write_dataset(FILE_NAME, true, "rho", H5T_IEEE_F64LE, 3, SHAPE, values, "cm^-3");
    expect_error(f, BASE, DENSITY,
                 "--set medium: medium.density: the value inf at cell [1, 1, 0] is not a finite number");
    unlink(FILE_NAME);
}

static void shapes_types_and_units_must_fit(void **state)
{
    struct fixture *f = *state;
    const hsize_t shape[3] = {4, 2, 3};
    double values[24] = {0};
    write_dataset(FILE_NAME, true, "rho", H5T_IEEE_F64LE, 3, shape, values, "cm^-3");
    expect_error(f, BASE, DENSITY,
                 "--set medium: medium.density: the dataset has shape (4, 2, 3); the mesh needs (4, 2, 2)");
    expect_error(f, BASE, "medium.velocity={file: test_hdf5_field.h5, dataset: rho}",
                 "--set medium.velocity: the dataset has shape (4, 2, 3); the mesh needs (3, 4, 2, 2)");
    write_ramp(H5T_IEEE_F64LE, NULL);
    expect_error(f, BASE, DENSITY,
                 "--set medium: medium.density: the dataset has no attribute 'units'; give it one such as 'cm^-3'");
    write_ramp(H5T_IEEE_F64LE, "K");
    expect_error(
        f, BASE, DENSITY,
        "--set medium: medium.density: the dataset has units 'K', which is not a number density such as 'cm^-3'");
    expect_error(f, BASE, "medium.density={file: test_hdf5_field.h5, dataset: nope}",
                 "--set medium.density: medium.density.file: test_hdf5_field.h5: no dataset 'nope'");
    expect_error(f, BASE, "medium.density={file: test_hdf5_field.h5}",
                 "--set medium.density: the key 'dataset' is missing");
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT), one = H5Screate(H5S_SCALAR);
    hid_t dataset = H5Dcreate2(file, "text", H5T_C_S1, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(dataset);
    H5Sclose(one);
    H5Fclose(file);
    expect_error(f, BASE, "medium.density={file: test_hdf5_field.h5, dataset: text}",
                 "--set medium.density: medium.density.file: test_hdf5_field.h5: dataset 'text' does not hold numbers");
    unlink(FILE_NAME);
}

static void missing_files_and_foreign_formats(void **state)
{
    struct fixture *f = *state;
    unlink(FILE_NAME);
    expect_error(f, BASE, DENSITY, "--set medium: medium.density.file: test_hdf5_field.h5: No such file or directory");
    expect_error(f, BASE, "medium.density={file: ., dataset: x}",
                 "--set medium.density: medium.density.file: .: not a file");
    FILE *file = fopen(FILE_NAME, "w");
    fputs("not HDF5", file);
    fclose(file);
    expect_error(f, BASE, DENSITY,
                 "--set medium: medium.density.file: test_hdf5_field.h5: cannot be read as HDF5; it is truncated, "
                 "damaged or in another format");
    unlink(FILE_NAME);
}

/* Wherever the file is cut off, the answer is an error that names it; never a crash, never a model. */
static void truncated_files_are_refused(void **state)
{
    struct fixture *f = *state;
    write_ramp(H5T_IEEE_F64LE, "cm^-3");
    FILE *file = fopen(FILE_NAME, "rb");
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    fclose(file);
    for (long length = size - 1; length >= 0; length -= 97) {
        assert_int_equal(truncate(FILE_NAME, length), 0);
        const char *const settings[] = {DENSITY, NULL};
        assert_int_equal(load_text(f, BASE, settings), LR_ERROR_IO);
        assert_non_null(strstr(lr_last_error(f->ctx), "test_hdf5_field.h5: cannot be read as HDF5"));
    }
    unlink(FILE_NAME);
}

/* A compressed chunk with broken bytes fails only when it is read. */
static void damaged_chunks_are_refused(void **state)
{
    struct fixture *f = *state;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, SHAPE, NULL), plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plan, 3, SHAPE);
    H5Pset_fletcher32(plan);
    hid_t dataset = H5Dcreate2(file, "rho", H5T_IEEE_F64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    double values[16];
    for (int i = 0; i < 16; i++)
        values[i] = i + 12345.678;
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Pclose(plan);
    H5Sclose(space);
    H5Fclose(file);
    FILE *raw = fopen(FILE_NAME, "r+b");
    char bytes[65536];
    size_t n = fread(bytes, 1, sizeof bytes, raw);
    for (size_t i = 0; i + sizeof values <= n; i++)
        if (memcmp(bytes + i, values, sizeof values) == 0) {
            fseek(raw, (long)i, SEEK_SET);
            fputc(bytes[i] ^ 1, raw);
            break;
        }
    fclose(raw);
    expect_error(f, BASE, DENSITY,
                 "--set medium: medium.density: test_hdf5_field.h5: a dataset cannot be read; the file is truncated or "
                 "damaged");
    unlink(FILE_NAME);
}

static void files_are_looked_up_beside_the_model(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "mesh: {cells: [1, 1, 1], size: [1 pc, 1 pc, 1 pc]}\nline: lya\n"
                               "medium: {b: 1 km/s, opacity: {file: f.h5, dataset: a}}\n";
    enum lr_status status =
        model_load_text(f->ctx, f->units, "some/folder/m.yaml", text, sizeof text - 1,
                        (const char *const[]){"sources=[{volume: , spectrum: local, luminosity: 1 W}]"}, 1, &f->model);
    assert_int_equal(status, LR_ERROR_IO);
    assert_string_equal(lr_last_error(f->ctx),
                        "some/folder/m.yaml:3:37: medium.opacity.file: some/folder/f.h5: No such "
                        "file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(every_number_type_and_byte_order_is_read),
        RUN(variable_length_units_are_read),
        RUN(uniform_dataset_becomes_one_number),
        RUN(vector_dataset_has_components_first),
        RUN(edges_and_tables_come_from_files),
        RUN(packet_lists_are_read_and_checked),
        RUN(bad_values_name_their_cell),
        RUN(shapes_types_and_units_must_fit),
        RUN(missing_files_and_foreign_formats),
        RUN(truncated_files_are_refused),
        RUN(damaged_chunks_are_refused),
        RUN(files_are_looked_up_beside_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
