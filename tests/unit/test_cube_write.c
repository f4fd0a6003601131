/* The files of a cube: keywords and values as other programs will find them; nothing is lost if a disk is full or a
 * file belongs to another program. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fitsio.h>
#include <signal.h>
#include <sys/resource.h>

#include "image_fixture.h"
#include "io/fits/fits_image.h"

/* ---- reading back ---- */

static fitsfile *open_fits(const struct image_fixture *f, const char *name)
{
    char path[256];
    fitsfile *file = NULL;
    int status = 0;
    snprintf(path, sizeof path, "%s%s", f->prefix, name);
    fits_open_diskfile(&file, path, READONLY, &status);
    assert_int_equal(status, 0);
    return file;
}

static void close_fits(fitsfile *file)
{
    int status = 0, data = 0, all = 0;
    fits_verify_chksum(file, &data, &all, &status);
    assert_true(data == 1 && all == 1); /* there and right */
    fits_close_file(file, &status);
    assert_int_equal(status, 0);
}

static void assert_key(fitsfile *file, const char *name, double expected)
{
    double value = 0.0;
    int status = 0;
    fits_read_key(file, TDOUBLE, name, &value, NULL, &status);
    if (status || fabs(value - expected) > 1e-12 * fabs(expected))
        fail_msg("%s is %.15g, not %.15g", name, value, expected);
}

static void assert_word(fitsfile *file, const char *name, const char *expected)
{
    char value[FLEN_VALUE] = "";
    int status = 0;
    fits_read_key(file, TSTRING, name, value, NULL, &status);
    assert_int_equal(status, 0);
    assert_string_equal(value, expected);
}

static void assert_no_key(fitsfile *file, const char *name)
{
    char card[FLEN_CARD];
    int status = 0;
    fits_read_card(file, name, card, &status);
    assert_int_equal(status, KEY_NO_EXIST);
}

static void read_values(fitsfile *file, long n, double *values)
{
    int status = 0, any = 0;
    fits_read_img(file, TDOUBLE, 1, n, NULL, values, &any, &status);
    assert_int_equal(status, 0);
}

static int bits_of(fitsfile *file)
{
    int status = 0, bits = 0;
    fits_get_img_type(file, &bits, &status);
    return bits;
}

/* ---- keywords ---- */

static void a_cube_has_the_axes_of_the_sky(void **state)
{
    struct image_fixture *f = *state;
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    assert_int_equal(f->n_warning, 0);
    fitsfile *file = open_fits(f, "_front.fits");
    const double step = LR_PARSEC / image_distance * 180.0 / LR_PI; /* a pixel is 1 pc */
    assert_word(file, "CTYPE1", "RA---TAN");
    assert_word(file, "CTYPE2", "DEC--TAN");
    assert_key(file, "CDELT1", -step);
    assert_key(file, "CDELT2", step);
    assert_key(file, "CRPIX1", 3.5);
    assert_key(file, "CRPIX2", 3.0);
    assert_key(file, "CRVAL1", 83.8);
    assert_key(file, "CRVAL2", -5.4);
    assert_word(file, "CUNIT1", "deg");
    assert_word(file, "RADESYS", "ICRS");
    assert_word(file, "CTYPE3", "VRAD");
    assert_word(file, "CUNIT3", "m/s");
    assert_key(file, "CRVAL3", 6500.0); /* the centre of -4 to -3 km/s, plus 10 km/s */
    assert_key(file, "CDELT3", 1000.0);
    assert_key(file, "RESTFRQ", 2.466e15);
    assert_word(file, "SPECSYS", "LSRK");
    assert_word(file, "BUNIT", "Jy/sr");
    assert_word(file, "OBJECT", "cloud");
    assert_no_key(file, "BMAJ");
    assert_no_key(file, "CD1_1");
    close_fits(file);
}

static void without_a_distance_axes_are_offsets(void **state)
{
    struct image_fixture *f = *state;
    f->result->image.distance = 0.0;
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    assert_int_equal(f->n_warning, 1);
    fitsfile *file = open_fits(f, "_front.fits");
    assert_word(file, "CUNIT1", "pc");
    assert_key(file, "CDELT1", 1.0); /* along right */
    assert_key(file, "CDELT2", 1.0);
    assert_key(file, "CRVAL2", 0.0);
    assert_word(file, "CTYPE3", "VRAD");
    close_fits(file);
}

static void a_beam_is_told_where_it_was_applied(void **state)
{
    struct image_fixture *f = *state;
    const double degree = LR_PI / 180.0;
    f->result->image.unit = UNIT_JY_PER_BEAM;
    f->result->image.beam[0] = 4e-4;
    f->result->image.beam[1] = 3e-4;
    f->result->image.beam[2] = 30.0 * degree;
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    const char *const convolved[] = {"_front.fits", "_front_error.fits", "_front_mom0.fits", "_front_peak.fits"};
    for (int i = 0; i < 4; i++) {
        fitsfile *file = open_fits(f, convolved[i]);
        assert_key(file, "BMAJ", 4e-4 / degree);
        assert_key(file, "BMIN", 3e-4 / degree);
        assert_key(file, "BPA", 30.0);
        close_fits(file);
    }
    fitsfile *depth = open_fits(f, "_front_tau.fits");
    assert_no_key(depth, "BMAJ");
    close_fits(depth);
}

/* ---- values ---- */

static void values_are_in_the_unit_and_order_of_the_file(void **state)
{
    struct image_fixture *f = *state;
    enum { N = IMAGE_CHANNEL * IMAGE_Y * IMAGE_X };
    double values[N];
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    fitsfile *file = open_fits(f, "_front.fits");
    assert_int_equal(bits_of(file), FLOAT_IMG);
    read_values(file, N, values);
    for (int i = 0; i < N; i++) /* the first pixel is the lower left one of the first channel; 1e-18 is 1e5 Jy */
        assert_true(fabs(values[i] - i * 1e5) <= 1e-7 * i * 1e5);
    close_fits(file);
    file = open_fits(f, "_front_error.fits");
    read_values(file, N, values);
    assert_true(fabs(values[17] - 0.5e5) < 1e-2);
    close_fits(file);
    file = open_fits(f, "_front_tau.fits");
    assert_word(file, "BUNIT", "");
    read_values(file, N, values);
    assert_true(values[17] == 0.125 * 17);
    close_fits(file);
}

/* Pixel p holds p + 30 c in channel c. */
static void maps_sum_up_the_channels(void **state)
{
    struct image_fixture *f = *state;
    double values[IMAGE_X * IMAGE_Y];
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    fitsfile *file = open_fits(f, "_front_mom0.fits");
    assert_word(file, "BUNIT", "Jy sr-1 km s-1");
    assert_no_key(file, "CTYPE3");
    read_values(file, IMAGE_X * IMAGE_Y, values);
    assert_true(fabs(values[0] - 840.0 * 1e5) < 10.0); /* 30 (0 + ... + 7), 1 km/s wide */
    close_fits(file);
    file = open_fits(f, "_front_mom1.fits");
    assert_word(file, "BUNIT", "km s-1");
    read_values(file, IMAGE_X * IMAGE_Y, values);
    assert_true(fabs(values[0] - 11.5) < 1e-5); /* 6.5 + SUM c^2 / SUM c */
    close_fits(file);
    file = open_fits(f, "_front_peak.fits");
    read_values(file, IMAGE_X * IMAGE_Y, values);
    assert_true(fabs(values[3] - 213.0 * 1e5) < 10.0);
    close_fits(file);
}

static void faint_cubes_are_written_in_double(void **state)
{
    struct image_fixture *f = *state;
    double values[2];
    f->result->cube[0].scale = 1e-60;
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    fitsfile *file = open_fits(f, "_front.fits");
    assert_int_equal(bits_of(file), DOUBLE_IMG);
    read_values(file, 2, values);
    assert_true(fabs(values[1] - 1e-37) < 1e-49);
    close_fits(file);
}

static void the_spectrum_is_the_flux_of_the_image(void **state)
{
    struct image_fixture *f = *state;
    char path[256], line[256];
    double velocity = 0.0, flux = 0.0, error = 0.0;
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    snprintf(path, sizeof path, "%s_front_spectrum.txt", f->prefix);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int i = 0; i < 3; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_true(line[0] == '#');
    }
    assert_non_null(strstr(line, "Jy"));
    assert_int_equal(fscanf(file, "%lf %lf %lf", &velocity, &flux, &error), 3);
    fclose(file);
    const double sr = LR_PARSEC / image_distance * LR_PARSEC / image_distance;
    assert_true(velocity == 6.5);
    assert_true(fabs(flux / (435.0 * 1e5 * sr) - 1.0) < 1e-6); /* 0 + ... + 29 */
    assert_true(fabs(error / (0.5 * sqrt(30.0) * 1e5 * sr) - 1.0) < 1e-3);
}

/* ---- names ---- */

static void all_files_are_listed(void **state)
{
    struct image_fixture *f = *state;
    char *paths = NULL, expected[128];
    int n = 0;
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, &paths), LR_OK);
    for (const char *c = paths; *c; c++)
        n += *c == '\n';
    assert_int_equal(n, 8);
    assert_int_equal(image_count_files(f), 8);
    snprintf(expected, sizeof expected, "%s_front.fits\n", f->prefix);
    assert_true(strncmp(paths, expected, strlen(expected)) == 0);
    lr_text_free(paths);
    assert_non_null(lr_result_camera(f->result, 0));
    assert_null(lr_result_camera(f->result, 1));
}

static void only_what_was_asked_for_is_written(void **state)
{
    struct image_fixture *f = *state;
    f->result->image.moments = f->result->image.peak = f->result->image.spectrum = false;
    f->result->image.optical_depth = false;
    free(f->result->cube[0].error); /* requested, but nothing was scattered */
    f->result->cube[0].error = NULL;
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    assert_int_equal(image_count_files(f), 1);
}

static lr_model model_of(struct image_fixture *f)
{
    return (lr_model){.n_camera = 1, .camera = &f->result->cube[0].camera, .image = f->result->image};
}

static void our_files_are_replaced_and_others_are_not(void **state)
{
    struct image_fixture *f = *state;
    const lr_model model = model_of(f);
    char path[256];
    assert_int_equal(lr_cube_path_check(f->ctx, &model, f->prefix), LR_OK);
    assert_int_equal(image_count_files(f), 0);
    assert_int_equal(f->n_info, 0);
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    assert_int_equal(lr_cube_path_check(f->ctx, &model, f->prefix), LR_OK);
    assert_int_equal(f->n_info, 0);
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_OK);
    assert_int_equal(f->n_info, 1); /* reports that files were replaced */

    /* A FITS file of another program, where the moment map should go. */
    snprintf(path, sizeof path, "%s_front_mom0.fits", f->prefix);
    fitsfile *file = NULL;
    int status = 0;
    unlink(path);
    fits_create_diskfile(&file, path, &status);
    fits_create_img(file, FLOAT_IMG, 0, NULL, &status);
    fits_write_key_str(file, "ORIGIN", "lineradish", NULL, &status);
    fits_close_file(file, &status);
    assert_int_equal(status, 0);
    assert_false(fits_image_recognise(path));
    assert_int_equal(lr_cube_path_check(f->ctx, &model, f->prefix), LR_ERROR_IO);
    assert_non_null(strstr(lr_last_error(f->ctx), path));
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL), LR_ERROR_IO);
    assert_false(fits_image_recognise(path));
}

static void a_prefix_needs_a_name_and_a_folder(void **state)
{
    struct image_fixture *f = *state;
    const lr_model model = model_of(f), blind = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/", f->folder);
    assert_int_equal(lr_cube_path_check(f->ctx, &model, path), LR_ERROR_IO);
    snprintf(path, sizeof path, "%s/missing/cloud", f->folder);
    assert_int_equal(lr_cube_path_check(f->ctx, &model, path), LR_ERROR_IO);
    assert_int_equal(lr_cube_path_check(f->ctx, &blind, path), LR_OK); /* no cameras, no files */
}

/* Brackets and exclamation marks are special for CFITSIO, but not here. */
static void names_are_taken_as_they_are(void **state)
{
    struct image_fixture *f = *state;
    struct stat info;
    char prefix[128], path[256];
    snprintf(prefix, sizeof prefix, "%s/!a[1:2](x)+3", f->folder);
    assert_int_equal(lr_result_write_cubes(f->ctx, f->result, prefix, NULL), LR_OK);
    snprintf(path, sizeof path, "%s_front.fits", prefix);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(image_count_files(f), 8);
}

/* A limit on file sizes simulates a full disk. */
static void a_full_disk_leaves_nothing_behind(void **state)
{
    struct image_fixture *f = *state;
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t size = 0; size <= 5760; size += 960) { /* the cube has 3 blocks of header and data */
        struct rlimit limit = before;
        limit.rlim_cur = size;
        setrlimit(RLIMIT_FSIZE, &limit);
        enum lr_status status = lr_result_write_cubes(f->ctx, f->result, f->prefix, NULL);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, LR_ERROR_IO);
        assert_non_null(strstr(lr_last_error(f->ctx), "File too large"));
        assert_non_null(strstr(lr_last_error(f->ctx), f->prefix));
        assert_int_equal(image_count_files(f), 0);
    }
    signal(SIGXFSZ, SIG_DFL);
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, image_setup, image_teardown)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(a_cube_has_the_axes_of_the_sky),
        WITH_FOLDER(without_a_distance_axes_are_offsets),
        WITH_FOLDER(a_beam_is_told_where_it_was_applied),
        WITH_FOLDER(values_are_in_the_unit_and_order_of_the_file),
        WITH_FOLDER(maps_sum_up_the_channels),
        WITH_FOLDER(faint_cubes_are_written_in_double),
        WITH_FOLDER(the_spectrum_is_the_flux_of_the_image),
        WITH_FOLDER(all_files_are_listed),
        WITH_FOLDER(only_what_was_asked_for_is_written),
        WITH_FOLDER(our_files_are_replaced_and_others_are_not),
        WITH_FOLDER(a_prefix_needs_a_name_and_a_folder),
        WITH_FOLDER(names_are_taken_as_they_are),
        WITH_FOLDER(a_full_disk_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
