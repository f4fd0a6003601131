/* The comparison of images with packets: which cameras have one, when it gives a warning, and its errors. */
#include "model_fixture.h"

#include "base/constants.h"
#include "solve/imaging/image_check.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static const char GAS[] = "line: lya\nmedium: {temperature: 1e4 K, density: 1e-3 cm^-3}\n"
                          "channels: {number: 4, range: [-40 km/s, 80 km/s]}\n";
static const char BOX[] = "mesh: {cells: [4, 4, 4], size: [2 pc, 2 pc, 2 pc]}\n";
static const char LAYERS[] =
    "mesh: {cells: [1, 1, 4], size: [2 pc, 3 pc, 2 pc], faces: {x: periodic, y: periodic, z: open}}\n";
static const char VOLUME[] = "sources: [{volume: {}, spectrum: local, luminosity: 1e50 photon/s}]\n";

static const lr_model *load_parts(struct fixture *f, const char *mesh, const char *source, const char *camera,
                                  const char *more)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s%scameras: [%s]\n%s", mesh, GAS, source, camera, more);
    return load_ok(f, text, NULL);
}

/* Why the only camera of a model is not compared; NULL = it is. */
static const char *reason(struct fixture *f, const char *mesh, const char *source, const char *camera, const char *more)
{
    static struct image_check check;
    const lr_model *loaded = load_parts(f, mesh, source, camera, more);
    image_check_plan(loaded, loaded->run.packets, &check);
    assert_int_equal(check.n_cone, check.missing[0] == NULL);
    assert_int_equal(check.of_camera[0], check.missing[0] ? -1 : 0);
    return check.missing[0];
}

static void images_of_the_same_light_are_compared(void **state)
{
    struct fixture *f = *state;
    const char run[] = "run: {packets: 1e6}\n", far[] = "{direction: [1, 2, 3], pixels: 4}";
    const char plane[] = "sources: [{plane: {axis: z, at: 0 pc}, spectrum: {monochromatic: 0}, luminosity: 1e50 "
                         "photon/s}]\n";
    assert_null(reason(f, BOX, VOLUME, far, run));
    assert_null(reason(f, BOX, VOLUME, "{direction: +z, pixels: 4, field: 0.1 pc}", run));
    assert_null(reason(f, LAYERS, VOLUME, far, run));
    assert_null(reason(f, LAYERS, plane, far, run));
    assert_null(reason(f, "mesh: {shells: 4, outer: 1 pc}\n", VOLUME, far, run));
}

static void other_images_say_why_not(void **state)
{
    struct fixture *f = *state;
    const char run[] = "run: {packets: 1e6}\n", far[] = "{direction: [1, 2, 3], pixels: 4}";
    const char grazing[] = "{direction: [1, 0, 0.1], pixels: 4}";
    const char plane[] = "sources: [{plane: {axis: z, at: 0 pc}, spectrum: {monochromatic: 0}, luminosity: 1e50 "
                         "photon/s}]\n";
    const char external[] = "sources: [{external: {}, spectrum: {monochromatic: 0}, intensity: 1 photon/s/cm^2/sr}]\n";
    assert_string_equal(reason(f, BOX, VOLUME, far, "run: {packets: 0}\n"), "");
    assert_string_equal(reason(f, BOX, VOLUME, "{position: [9 pc, 0 pc, 0 pc], pixels: 4}", run), "");
    assert_string_equal(reason(f, BOX, VOLUME, far, "image: {background: 3 K}\nrun: {packets: 1e6}\n"),
                        "the image has a background");
    assert_string_equal(reason(f, BOX, external, far, run), "external light also passes by the gas");
    assert_string_equal(reason(f, BOX, plane, grazing, run), "a plane source is seen edge-on");
    assert_string_equal(reason(f, LAYERS, VOLUME, grazing, run), "the layers are seen edge-on");
    assert_string_equal(
        reason(f, "mesh: {cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc], faces: {x: periodic}}\n", VOLUME, far, run),
        "the mesh is periodic");
    assert_string_equal(
        reason(f, "mesh: {shells: 4, outer: 1 pc}\n", VOLUME, "{direction: +z, pixels: 4, field: 1.9 pc}", run),
        "the image is smaller than the shells");
}

/* An image that covers the mesh needs no positions; a smaller one has its centre and size in half-sizes of the mesh. */
static void cones_know_the_field_and_the_channels(void **state)
{
    struct fixture *f = *state;
    static struct image_check check;
    struct transport_job job = {0};
    const lr_model *model = load_parts(f, BOX, VOLUME,
                                       "{direction: +z, pixels: 4}, {position: [9 pc, 0 pc, 0 pc], pixels: 4}, "
                                       "{direction: +z, pixels: [4, 2], field: [0.5 pc, 0.25 pc], offset: [0.5 pc, "
                                       "-0.2 pc]}",
                                       "run: {packets: 1e6}\n");
    image_check_plan(model, model->run.packets, &check);
    assert_int_equal(check.n_cone, 2);
    assert_int_equal(check.of_camera[2], 1);
    assert_true(isinf(check.cone[0].half[0]) && isinf(check.cone[0].half[1]));
    assert_close(check.cone[1].half[0], 0.25, 1e-9);
    assert_close(check.cone[1].half[1], 0.125, 1e-9);
    assert_close(check.cone[1].middle[0], 1.5, 1e-9);
    assert_close(check.cone[1].middle[1], 0.8, 1e-9);
    assert_close(check.cone[1].share, 0.005, 1e-9);
    image_check_prepare_job(model, &check, true, &job);
    assert_int_equal(job.cones.n, 2);
    assert_close(job.cones.shift[0], -80 * KM_S / model->reference_b, 1e-9);
    assert_close(job.cones.shift[1], 40 * KM_S / model->reference_b, 1e-9);
    image_check_prepare_job(model, &check, false, &job);
    assert_int_equal(job.cones.n, 0);
}

static void cones_narrow_as_packets_grow(void **state)
{
    (void)state;
    assert_close(image_check_share(1e3), 0.02, 1e-12);
    assert_close(image_check_share(1e6), 0.005, 1e-12);
    assert_close(image_check_share(8e6), 0.0025, 1e-12);
    assert_close(image_check_share(1e12), 1e-3, 1e-12);
}

static bool disagrees(double image, double image_error, double packets, double packet_error)
{
    struct lr_check check = {.image = {image, image_error}, .packets = {packets, packet_error}, .angle = 0.2};
    check.deviation = image_check_deviation(check.image, check.packets);
    return image_check_disagrees(&check);
}

static void beyond_four_errors_is_a_warning(void **state)
{
    (void)state;
    assert_false(disagrees(1.0, 0.003, 1.0, 0.01));
    assert_false(disagrees(1.19, 0.03, 1.0, 0.04));
    assert_true(disagrees(1.21, 0.03, 1.0, 0.04));
    assert_true(disagrees(0.79, 0.03, 1.0, 0.04));
    assert_false(disagrees(1.009, 1e-5, 1.0, 1e-5)); /* the mesh */
    assert_true(disagrees(1.011, 1e-5, 1.0, 1e-5));
    assert_false(image_check_disagrees(&(struct lr_check){.deviation = 9})); /* not compared */
}

struct heard {
    int n;
    char last[512];
};

static void hear(void *user, enum lr_log_level level, const char *text)
{
    struct heard *heard = user;
    heard->n += level == LR_LOG_WARNING;
    snprintf(heard->last, sizeof heard->last, "%s", text);
}

/* A cube with all values 1, and packets that contribute `ratio` times less. */
static struct lr_check finish(struct fixture *f, const lr_model *model, double ratio, const double *groups,
                              struct heard *heard)
{
    static struct image_check check;
    const size_t n = 4 * 4 * 4;
    const double area = pow(model->camera[0].field[0], 2);
    lr_result *result = calloc(1, sizeof *result);
    result->n_cube = 1;
    result->cube = calloc(1, sizeof *result->cube);
    result->summary.packets = 1000000;
    struct cube *cube = &result->cube[0];
    cube->camera = model->camera[0];
    cube->channels = model->channels;
    cube->scale = 1e50 / (16 * LR_PI * area * model->channels.n * model->channels.width) * LR_PLANCK * LR_LIGHT_SPEED;
    cube->intensity = malloc(n * sizeof *cube->intensity);
    for (size_t i = 0; i < n; i++)
        cube->intensity[i] = 1.0f;
    for (int g = 0; groups && g < IMAGE_GROUPS; g++) {
        cube->group_flux[g] = groups[g];
        cube->group_packets[g] = 125000;
    }
    image_check_plan(model, model->run.packets, &check);
    check.flux[0] = (struct lr_estimate){1e50 / (16 * LR_PI) / ratio, 1e47};
    check.packets[0] = 2500;
    lr_context_on_log(f->ctx, hear, heard);
    image_check_finish(f->ctx, model, &check, result);
    lr_context_on_log(f->ctx, NULL, NULL);
    const struct lr_check found = cube->check;
    lr_result_free(result);
    return found;
}

/* A quarter of 1e50 / (4 pi), seen by a quarter of 1e6 packets: 0.2 %. */
static void fluxes_are_compared(void **state)
{
    struct fixture *f = *state;
    struct heard heard = {0};
    const double flux = 1e50 / (16 * LR_PI);
    const lr_model *model = load_parts(f, BOX, VOLUME, "{direction: +z, pixels: 4}", "run: {packets: 1e6}\n");
    struct lr_check found = finish(f, model, 1.01, NULL, &heard);
    assert_close(found.image.value, flux, 1e-5);
    assert_close(found.image.error, flux * 0.002, 1e-5);
    assert_close(found.angle, acos(0.99), 1e-9);
    assert_int_equal(heard.n, 0);
    const double groups[IMAGE_GROUPS] = {1e48, 3e48, 1e48, 3e48, 1e48, 3e48, 1e48, 3e48};
    found = finish(f, model, 1.01, groups, &heard);
    assert_close(found.image.error, 1e48 / sqrt(7), 1e-9);
    assert_int_equal(heard.n, 0);
    finish(f, model, 1.5, NULL, &heard);
    assert_int_equal(heard.n, 1);
    assert_non_null(strstr(heard.last, "its flux is 1.5 times that of the packets"));
}

/* Layers: for one period, 2 pc x 3 pc seen at 60 degrees, whatever the field. */
static void layers_count_one_period(void **state)
{
    struct fixture *f = *state;
    struct heard heard = {0};
    const lr_model *model =
        load_parts(f, LAYERS, VOLUME, "{theta: 60 deg, phi: 0 deg, pixels: 4, field: 5 pc}", "run: {packets: 1e6}\n");
    const struct lr_check found = finish(f, model, 1, NULL, &heard);
    assert_close(found.image.value, 1e50 / (16 * LR_PI) * (2 * 3 * 0.5) / 25, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(images_of_the_same_light_are_compared),
                                       RUN(other_images_say_why_not),
                                       RUN(cones_know_the_field_and_the_channels),
                                       cmocka_unit_test(cones_narrow_as_packets_grow),
                                       cmocka_unit_test(beyond_four_errors_is_a_warning),
                                       RUN(fluxes_are_compared),
                                       RUN(layers_count_one_period)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
