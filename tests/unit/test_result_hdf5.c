/* The result file: what is written can be read back with plain HDF5, the file is either complete or absent, and no
 * failure of the disk or of the path affects anything that was there before. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "model/result.h"

enum { N_BIN = 4, N_MU = 2, N_PHI = 3, NX = 3, NY = 2, NZ = 2, N_PACKET = 5, N_LARGE = 150000 };

/* ---- a made-up result ---- */

static double *ramp(size_t n, double first, double step)
{
    double *values = malloc(n * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++)
        values[i] = first + step * (double)i;
    return values;
}

static struct measured measured_ramp(size_t n, double first)
{
    return (struct measured){ramp(n, first, 1.0), ramp(n, 0.1, 0.01)};
}

static void fill_packets(struct packet_list *list, int64_t n)
{
    const size_t count = (size_t)n;
    list->n = n;
    list->id = malloc(count * sizeof *list->id);
    list->scatterings = malloc(count * sizeof *list->scatterings);
    list->face = malloc(count * sizeof *list->face);
    for (int64_t i = 0; i < n; i++) {
        list->id[i] = 7 * i;
        list->scatterings[i] = i * i;
        list->face[i] = (int)(i % N_FACE);
    }
    list->weight = ramp(count, 1.0, 0.0);
    list->shift = ramp(count, -1e5, 3.0);
    list->path = ramp(count, 1e18, 1e15);
    list->position = ramp(3 * count, 0.0, 1.0);
    list->direction = ramp(3 * count, 0.0, 0.5);
    list->last_scattering = ramp(3 * count, 10.0, 1.0);
}

static lr_result *make_result(int64_t n_packet)
{
    lr_result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    result->summary = (struct lr_summary){.packets = 900,
                                          .packets_requested = 1000,
                                          .reference_b = 2e5,
                                          .emitted = 1.0,
                                          .escaped = {0.75, 0.01},
                                          .absorbed = {0.25, 0.02},
                                          .f_esc = {0.75, 0.01},
                                          .scatterings_per_packet = {123.5, 0.5},
                                          .mean_path = {3.5, 0.25},
                                          .median_abs_x = {2.5, 0.125},
                                          .lower_quartile_abs_x = {1.5, 0.03},
                                          .upper_quartile_abs_x = {3.5, 0.04},
                                          .peak_abs_x = 2.25,
                                          .peak_abs_x_error = 0.05,
                                          .asymmetric = 1,
                                          .mean_velocity = {-7.5, 0.5},
                                          .red_blue_ratio = {0.8, 0.1},
                                          .red_peak_velocity = {NAN, NAN},
                                          .blue_peak_velocity = {-9.5, 1.5},
                                          .seconds_transport = 1.5,
                                          .seconds_total = 2.0,
                                          .scatterings_per_second = 1e6,
                                          .scatterings = 111150,
                                          .device = "cpu (2 threads)",
                                          .precision = "mixed",
                                          .seed = UINT64_MAX};
    result->roulette_balance = -0.001;
    result->photon_energy = 1.6e-11;
    result->half_size_x = 3e18;
    result->n_bin = N_BIN;
    result->x_edge = ramp(N_BIN + 1, -2.0, 1.0);
    result->total = measured_ramp(N_BIN, 5.0);
    result->face = measured_ramp(N_FACE * N_BIN, 20.0);
    result->n_mu = N_MU;
    result->n_phi = N_PHI;
    result->axis = 2;
    result->direction = measured_ramp(N_MU * N_PHI * N_BIN, 100.0);
    result->summary.outside = (struct lr_estimate){0.5, 0.0625};
    result->mesh =
        (struct mesh){.n = {NX, NY, NZ},
                      .edge = {ramp(NX + 1, 0.0, 2.0), ramp(NY + 1, -1.0, 1.0), ramp(NZ + 1, 0.0, 3.0)},
                      .face = {FACE_OPEN, FACE_OPEN, FACE_PERIODIC, FACE_PERIODIC, FACE_REFLECTING, FACE_OPEN}};
    result->mean_intensity = measured_ramp(NX * NY * NZ, 1000.0);
    result->scattering_rate = measured_ramp(NX * NY * NZ, 2000.0);
    if (n_packet > 0)
        fill_packets(&result->packets, n_packet);
    result->model_text = strdup("mesh: {cells: [3, 2, 2]}\n# \xce\xb1 of gas\n");
    strcpy(result->version, "0.1.0");
    strcpy(result->date, "2024-05-06T07:08:09Z");
    strcpy(result->host, "somewhere");
    strcpy(result->cpu, "a processor");
    result->threads = 2;
    result->batches = 20;
    return result;
}

/* ---- a folder and a context for each test ---- */

struct fixture {
    lr_context *ctx;
    lr_result *result;
    char folder[64];
    char path[128];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = lr_context_create();
    f->result = make_result(N_PACKET);
    strcpy(f->folder, "/tmp/linerad_test_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/out.h5", f->folder);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    chmod(f->folder, 0700);
    DIR *folder = opendir(f->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", f->folder, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(name) != 0)
            rmdir(name);
    }
    if (folder)
        closedir(folder);
    rmdir(f->folder);
    lr_result_free(f->result);
    lr_context_free(f->ctx);
    free(f);
    return 0;
}

static int count_files(const char *path)
{
    int n = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds_text(const char *path, const char *text)
{
    char found[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    assert_int_equal(n, strlen(text));
    assert_string_equal(found, text);
}

static void assert_error_names(const struct fixture *f, const char *text)
{
    if (!strstr(lr_last_error(f->ctx), text))
        fail_msg("'%s' is not in the error: %s", text, lr_last_error(f->ctx));
}

/* ---- reading back ---- */

static void assert_text(hid_t object, const char *name, const char *expected)
{
    char *text = NULL;
    hid_t id = H5Aopen(object, name, H5P_DEFAULT);
    assert_true(id >= 0);
    hid_t type = H5Aget_type(id);
    assert_true(H5Tis_variable_str(type) > 0);
    assert_true(H5Aread(id, type, &text) >= 0);
    assert_string_equal(text, expected);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(id);
}

static void assert_number(hid_t file, const char *group, const char *name, double expected)
{
    double value = 0.0;
    hid_t id = H5Aopen_by_name(file, group, name, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    assert_true(H5Aread(id, H5T_NATIVE_DOUBLE, &value) >= 0);
    assert_true(value == expected);
    H5Aclose(id);
}

/* Shape, values, and the two attributes common to all datasets. */
static void assert_dataset(hid_t file, const char *name, int rank, const hsize_t *size, const double *expected,
                           const char *units)
{
    hid_t id = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(id >= 0);
    hid_t space = H5Dget_space(id);
    hsize_t found[3] = {0, 0, 0};
    assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
    H5Sget_simple_extent_dims(space, found, NULL);
    size_t n = 1;
    for (int i = 0; i < rank; i++) {
        assert_int_equal(found[i], size[i]);
        n *= (size_t)size[i];
    }
    double *values = malloc(n * sizeof *values);
    assert_non_null(values);
    assert_true(H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (size_t i = 0; i < n; i++)
        assert_true(values[i] == expected[i]);
    assert_text(id, "units", units);
    assert_true(H5Aexists(id, "description") > 0);
    free(values);
    H5Sclose(space);
    H5Dclose(id);
}

static void assert_measured(hid_t file, const char *name, int rank, const hsize_t *size, const struct measured *m,
                            const char *units)
{
    char label[64];
    snprintf(label, sizeof label, "%s_error", name);
    assert_dataset(file, name, rank, size, m->value, units);
    assert_dataset(file, label, rank, size, m->error, units);
}

static void arrays_are_read_back_as_written(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_text(file, "format", "linerad result");
    assert_number(file, "/", "format_version", 1.0);

    const double velocity[N_BIN + 1] = {4.0, 2.0, 0.0, -2.0, -4.0}; /* -x b, with b = 2 km/s */
    assert_dataset(file, "/spectrum/x_edges", 1, (hsize_t[]){N_BIN + 1}, f->result->x_edge, "1");
    assert_dataset(file, "/spectrum/velocity_edges", 1, (hsize_t[]){N_BIN + 1}, velocity, "km/s");
    assert_measured(file, "/spectrum/total", 1, (hsize_t[]){N_BIN}, &f->result->total, "1/s");
    assert_measured(file, "/spectrum/face", 2, (hsize_t[]){N_FACE, N_BIN}, &f->result->face, "1/s");
    assert_measured(file, "/spectrum/direction", 3, (hsize_t[]){N_MU, N_PHI, N_BIN}, &f->result->direction, "1/(s sr)");
    assert_number(file, "/spectrum", "outside", 0.5);
    assert_number(file, "/spectrum", "outside_error", 0.0625);

    const hsize_t cells[3] = {NX, NY, NZ};
    assert_measured(file, "/fields/mean_intensity", 3, cells, &f->result->mean_intensity, "1/(s cm2 sr)");
    assert_measured(file, "/fields/scattering_rate", 3, cells, &f->result->scattering_rate, "1/(s cm3)");
    assert_dataset(file, "/mesh/x_edges", 1, (hsize_t[]){NX + 1}, f->result->mesh.edge[0], "cm");
    assert_dataset(file, "/mesh/z_edges", 1, (hsize_t[]){NZ + 1}, f->result->mesh.edge[2], "cm");

    const struct packet_list *list = &f->result->packets;
    const double face[N_PACKET] = {0, 1, 2, 3, 4}, id[N_PACKET] = {0, 7, 14, 21, 28};
    assert_dataset(file, "/packets/id", 1, (hsize_t[]){N_PACKET}, id, "1");
    assert_dataset(file, "/packets/face", 1, (hsize_t[]){N_PACKET}, face, "1");
    assert_dataset(file, "/packets/shift", 1, (hsize_t[]){N_PACKET}, list->shift, "cm/s");
    assert_dataset(file, "/packets/position", 2, (hsize_t[]){N_PACKET, 3}, list->position, "cm");
    assert_dataset(file, "/packets/last_scattering", 2, (hsize_t[]){N_PACKET, 3}, list->last_scattering, "cm");
    H5Fclose(file);
}

static void direction_bins_carry_their_edges(void **state)
{
    struct fixture *f = *state;
    double mu[N_MU + 1], phi[N_PHI + 1];
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, "/spectrum/direction", H5P_DEFAULT);
    assert_text(data, "axis", "z");
    hid_t id = H5Aopen(data, "mu_edges", H5P_DEFAULT);
    assert_true(H5Aread(id, H5T_NATIVE_DOUBLE, mu) >= 0);
    H5Aclose(id);
    id = H5Aopen(data, "phi_edges", H5P_DEFAULT);
    assert_true(H5Aread(id, H5T_NATIVE_DOUBLE, phi) >= 0);
    H5Aclose(id);
    assert_true(mu[0] == -1.0 && mu[1] == 0.0 && mu[2] == 1.0);
    assert_true(phi[0] == 0.0 && phi[3] > 6.2831853 && phi[3] < 6.2831854);
    H5Dclose(data);
    H5Fclose(file);
}

static void summary_and_provenance_are_complete(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_number(file, "/summary", "packets", 900);
    assert_number(file, "/summary", "packets_requested", 1000);
    assert_number(file, "/summary", "f_esc", 0.75);
    assert_number(file, "/summary", "f_esc_error", 0.01);
    assert_number(file, "/summary", "median_abs_x", 2.5);
    assert_number(file, "/summary", "upper_quartile_abs_x_error", 0.04);
    assert_number(file, "/summary", "peak_abs_x_error", 0.05);
    assert_number(file, "/summary", "mean_velocity", -7.5);
    assert_number(file, "/summary", "blue_peak_velocity_error", 1.5);
    assert_number(file, "/summary", "asymmetric", 1);
    assert_number(file, "/summary", "reference_b", 2e5);
    assert_number(file, "/summary", "scatterings", 111150);
    assert_number(file, "/provenance", "threads", 2);
    assert_number(file, "/provenance", "batches", 20);

    hid_t group = H5Gopen2(file, "/provenance", H5P_DEFAULT);
    assert_text(group, "version", "0.1.0");
    assert_text(group, "date", "2024-05-06T07:08:09Z");
    assert_text(group, "host", "somewhere");
    assert_text(group, "device", "cpu (2 threads)");
    uint64_t seed = 0;
    hid_t id = H5Aopen(group, "seed", H5P_DEFAULT);
    assert_true(H5Aread(id, H5T_NATIVE_UINT64, &seed) >= 0);
    assert_true(seed == UINT64_MAX);
    H5Aclose(id);

    char *text = NULL;
    hid_t data = H5Dopen2(group, "model", H5P_DEFAULT);
    hid_t type = H5Dget_type(data);
    assert_true(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0);
    assert_string_equal(text, f->result->model_text);
    H5free_memory(text);
    H5Tclose(type);
    H5Dclose(data);
    H5Gclose(group);
    H5Fclose(file);
}

static void what_was_not_asked_for_is_not_there(void **state)
{
    struct fixture *f = *state;
    lr_result *result = make_result(0);
    struct measured *unasked[] = {&result->direction, &result->mean_intensity, &result->scattering_rate};
    for (int i = 0; i < 3; i++) {
        free(unasked[i]->value);
        free(unasked[i]->error);
        *unasked[i] = (struct measured){NULL, NULL};
    }
    assert_int_equal(lr_result_write(f->ctx, result, f->path), LR_OK);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(file, "/spectrum/total", H5P_DEFAULT) > 0);
    assert_true(H5Lexists(file, "/spectrum/direction", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "/fields", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "/packets", H5P_DEFAULT) == 0);
    H5Fclose(file);
    lr_result_free(result);
}

static void long_packet_lists_are_compressed(void **state)
{
    struct fixture *f = *state;
    lr_result *result = make_result(N_LARGE);
    assert_int_equal(lr_result_write(f->ctx, result, f->path), LR_OK);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_dataset(file, "/packets/path", 1, (hsize_t[]){N_LARGE}, result->packets.path, "cm");
    assert_dataset(file, "/packets/direction", 2, (hsize_t[]){N_LARGE, 3}, result->packets.direction, "1");
    hid_t data = H5Dopen2(file, "/packets/weight", H5P_DEFAULT);
    assert_true(H5Dget_storage_size(data) < N_LARGE * sizeof(double) / 10);
    H5Dclose(data);
    H5Fclose(file);
    lr_result_free(result);
}

/* ---- what may be replaced ---- */

static void an_earlier_result_is_replaced(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
    f->result->summary.peak_abs_x = 77.0;
    assert_int_equal(lr_result_path_check(f->ctx, f->path), LR_OK);
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_number(file, "/summary", "peak_abs_x", 77.0);
    H5Fclose(file);
    assert_int_equal(count_files(f->folder), 1);
}

static void a_link_is_followed_and_an_empty_file_is_filled(void **state)
{
    struct fixture *f = *state;
    char link[128];
    snprintf(link, sizeof link, "%s/link.h5", f->folder);
    put_text(f->path, "");
    assert_int_equal(symlink("out.h5", link), 0);
    assert_int_equal(lr_result_path_check(f->ctx, link), LR_OK);
    assert_int_equal(lr_result_write(f->ctx, f->result, link), LR_OK);
    assert_true(H5Fis_hdf5(f->path) > 0);
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void anything_else_is_left_alone(void **state)
{
    struct fixture *f = *state;
    put_text(f->path, "mesh: {}\n");
    assert_int_equal(lr_result_path_check(f->ctx, f->path), LR_ERROR_IO);
    assert_error_names(f, f->path);
    assert_error_names(f, "not a linerad result");
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_ERROR_IO);
    assert_holds_text(f->path, "mesh: {}\n");
    assert_int_equal(count_files(f->folder), 1);
}

static void an_hdf5_file_of_another_kind_is_left_alone(void **state)
{
    struct fixture *f = *state;
    hid_t file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "density", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    assert_int_equal(lr_result_path_check(f->ctx, f->path), LR_ERROR_IO);
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_ERROR_IO);
    file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(file, "density", H5P_DEFAULT) > 0);
    H5Fclose(file);
}

static void bad_places_are_named(void **state)
{
    struct fixture *f = *state;
    char path[256];
    assert_int_equal(lr_result_path_check(f->ctx, ""), LR_ERROR_IO);
    assert_int_equal(lr_result_path_check(f->ctx, f->folder), LR_ERROR_IO);
    assert_error_names(f, "directory");
    snprintf(path, sizeof path, "%s/missing/out.h5", f->folder);
    assert_int_equal(lr_result_path_check(f->ctx, path), LR_ERROR_IO);
    assert_error_names(f, path);
    assert_error_names(f, "missing'");
    assert_int_equal(lr_result_write(f->ctx, f->result, path), LR_ERROR_IO);
    assert_int_equal(lr_result_path_check(f->ctx, "/dev/full"), LR_ERROR_IO);
    assert_error_names(f, "regular");
    put_text(f->path, "");
    snprintf(path, sizeof path, "%s/out.h5/below.h5", f->folder);
    assert_int_equal(lr_result_path_check(f->ctx, path), LR_ERROR_IO);
    assert_int_equal(count_files(f->folder), 1);
}

static void a_folder_without_permission_is_refused(void **state)
{
    struct fixture *f = *state;
    if (geteuid() == 0)
        skip(); /* root may write anywhere */
    chmod(f->folder, 0500);
    assert_int_equal(lr_result_path_check(f->ctx, f->path), LR_ERROR_IO);
    assert_error_names(f, "Permission denied");
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_ERROR_IO);
}

/* A limit on file sizes simulates a full disk: writes fail halfway. Every size below that of the whole file is a
 * different point of failure. */
static void a_full_disk_leaves_nothing_behind(void **state)
{
    struct fixture *f = *state;
    struct rlimit before;
    struct stat whole;
    lr_result *result = make_result(N_LARGE);
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
    char large[128];
    snprintf(large, sizeof large, "%s/large.h5", f->folder);
    assert_int_equal(lr_result_write(f->ctx, result, large), LR_OK);
    assert_int_equal(stat(large, &whole), 0);
    unlink(large);

    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 40; i++) {
        struct rlimit limit = before;
        limit.rlim_cur = (rlim_t)whole.st_size * (rlim_t)i / 40;
        setrlimit(RLIMIT_FSIZE, &limit);
        enum lr_status status = lr_result_write(f->ctx, result, i % 2 ? large : f->path);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, LR_ERROR_IO);
        assert_error_names(f, "File too large");
        assert_error_names(f, f->folder);
        assert_int_equal(count_files(f->folder), 1);
    }
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_number(file, "/summary", "peak_abs_x", 2.25);
    H5Fclose(file);
    lr_result_free(result);
}

static void the_public_view_is_that_of_the_result(void **state)
{
    struct fixture *f = *state;
    struct lr_summary summary;
    struct lr_array array;
    LR_INIT(summary);
    LR_INIT(array);
    lr_result_summary(f->result, &summary);
    assert_int_equal(summary.packets, 900);
    assert_int_equal(lr_result_array(f->result, "spectrum/total_error", &array), 1);
    assert_int_equal(array.shape[0], N_BIN);
    assert_true(*(const double *)array.data == 0.1);
    lr_result_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arrays_are_read_back_as_written, setup, teardown),
        cmocka_unit_test_setup_teardown(direction_bins_carry_their_edges, setup, teardown),
        cmocka_unit_test_setup_teardown(summary_and_provenance_are_complete, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_not_asked_for_is_not_there, setup, teardown),
        cmocka_unit_test_setup_teardown(long_packet_lists_are_compressed, setup, teardown),
        cmocka_unit_test_setup_teardown(an_earlier_result_is_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(a_link_is_followed_and_an_empty_file_is_filled, setup, teardown),
        cmocka_unit_test_setup_teardown(anything_else_is_left_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(an_hdf5_file_of_another_kind_is_left_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_places_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(a_folder_without_permission_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_nothing_behind, setup, teardown),
        cmocka_unit_test_setup_teardown(the_public_view_is_that_of_the_result, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
