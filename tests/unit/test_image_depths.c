/* Numbers of images: those from the cubes themselves are known even if later rays fail, light is what stands out
 * against the sky, and depths need a scene in which nothing emits. */
#include "model_fixture.h"

#include "solve/imaging/image_depths.h"
#include "solve/imaging/scene_build.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

enum { N_X = 4, N_CHANNEL = 3, N_VALUE = N_CHANNEL * N_X * N_X };

static const char VIEW[] = "channels: {number: 3, range: [-3 km/s, 3 km/s], samples: 1}\n";

static enum lr_status no_memory(lr_context *ctx, int device, int threads, bool double_precision,
                                const struct trace_job *job, const struct transport_monitor *monitor,
                                struct trace_image *image)
{
    (void)device, (void)threads, (void)double_precision, (void)job, (void)monitor, (void)image;
    return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory: 7 bytes");
}

static enum lr_status stopped(lr_context *ctx, int device, int threads, bool double_precision,
                              const struct trace_job *job, const struct transport_monitor *monitor,
                              struct trace_image *image)
{
    (void)device, (void)threads, (void)double_precision, (void)job, (void)monitor, (void)image;
    return lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped");
}

struct heard {
    int n;
    char last[512];
};

static void hear(void *user, enum lr_log_level level, const char *text)
{
    struct heard *heard = user;
    if (level != LR_LOG_WARNING)
        return;
    heard->n++;
    snprintf(heard->last, sizeof heard->last, "%s", text);
}

/* A cube of the first camera: the sky is `sky` everywhere, with a little more, or less, in one pixel of the first
 * channel and in a different one of the last. */
static lr_result *make_result(const lr_model *model, double sky, double more)
{
    lr_result *result = calloc(1, sizeof *result);
    result->n_cube = 1;
    result->cube = calloc(1, sizeof *result->cube);
    struct cube *cube = &result->cube[0];
    cube->camera = model->camera[0];
    cube->camera.rays = 1;
    cube->channels = model->channels;
    cube->intensity = malloc(N_VALUE * sizeof *cube->intensity);
    cube->optical_depth = calloc(N_VALUE, sizeof *cube->optical_depth);
    cube->sky = malloc(N_CHANNEL * sizeof *cube->sky);
    for (int i = 0; i < N_VALUE; i++)
        cube->intensity[i] = (float)sky;
    for (int c = 0; c < N_CHANNEL; c++)
        cube->sky[c] = sky;
    cube->intensity[0] += (float)more;                               /* lower left */
    cube->intensity[2 * N_X * N_X + (N_X - 1) * N_X] += (float)more; /* upper left */
    cube->optical_depth[5] = 3.0f;
    return result;
}

static const lr_model *load_with(struct fixture *f, const char *camera, const char *medium)
{
    char text[2048];
    snprintf(text, sizeof text, "mesh: {cells: [4, 4, 4], size: [1 pc, 1 pc, 1 pc]}\n%s\n%scameras: [%s]\n", medium,
             VIEW, camera);
    return load_ok(f, text, NULL);
}

static const char FAR[] = "{direction: +x, pixels: 4}",
                  NEAR[] = "{position: [20 pc, 0 pc, 0 pc], pixels: 4, field: 8 deg}";
static const char MOLECULE[] = "line: {molecule: co, transition: 1-0}\n"
                               "medium: {temperature: 20 K, density: 1e-5 cm^-3, turbulence: 0.3 km/s}";
static const char NO_MOLECULE[] = "line: lya\nmedium: {temperature: 1e4 K, density: 1e-3 cm^-3, destruction: 1}\n"
                                  "sources: [thermal: {}]\nrun: {packets: 0}";

/* Three pixels of a quarter parsec, whatever the sky, in emission and in absorption. */
static void light_is_what_stands_out_of_the_sky(void **state)
{
    struct fixture *f = *state;
    const struct worker worker = {0};
    const double sky[] = {0.0, 1.0, 1.0, 1e3}, more[] = {1.0, 1.0, -0.5, -1.0};
    load_with(f, FAR, NO_MOLECULE);
    for (int i = 0; i < 4; i++) {
        lr_result *result = make_result(f->model, sky[i], more[i]);
        image_report(f->ctx, &worker, f->model, result);
        const struct cube *cube = &result->cube[0];
        assert_close(cube->report.shift, 0.75 * PC, 1e-6);
        assert_close(cube->centroid[0], -0.375 * PC, 1e-6);
        assert_close(cube->centroid[1], -0.375 * PC, 1e-6);
        assert_true(isnan(cube->centroid[2])); /* of the channel without light */
        assert_close(cube->report.depth.largest, 3.0, 1e-6);
        lr_result_free(result);
    }
}

static void a_distance_needs_two_channels(void **state)
{
    struct fixture *f = *state;
    const struct worker worker = {0};
    load_with(f, FAR, NO_MOLECULE);
    lr_result *result = make_result(f->model, 1.0, 0.5);
    result->cube[0].intensity[0] = 1.0f;
    image_report(f->ctx, &worker, f->model, result);
    assert_true(isnan(result->cube[0].report.shift));
    lr_result_free(result);
}

/* Pixel centres at tangents -0.75 t, +0.75 t up and -0.75 t to the side, t = tan 4 deg: the angle between the two. */
static void near_observers_measure_angles(void **state)
{
    struct fixture *f = *state;
    const struct worker worker = {0};
    load_with(f, NEAR, NO_MOLECULE);
    lr_result *result = make_result(f->model, 1.0, 0.5);
    image_report(f->ctx, &worker, f->model, result);
    const double t = 1.5 * camera_pixel_size(&f->model->camera[0]);
    assert_int_equal(result->cube[0].report.near, 1);
    assert_close(result->cube[0].report.shift, 2.0 * atan(t / sqrt(1.0 + t * t)), 1e-6);
    lr_result_free(result);
}

static void fails(struct fixture *f, const struct lr_backend *backend, const char *words, int stopped_then)
{
    const struct worker worker = {.backend = backend, .threads = 1};
    struct heard heard = {0};
    load_with(f, FAR, MOLECULE);
    lr_result *result = make_result(f->model, 1.0, 0.5);
    lr_context_on_log(f->ctx, hear, &heard);
    image_report(f->ctx, &worker, f->model, result);
    lr_context_on_log(f->ctx, NULL, NULL);
    assert_int_equal(heard.n, 1);
    if (!strstr(heard.last, words))
        fail_msg("'%s' is not in: %s", words, heard.last);
    assert_int_equal(result->summary.report_missing, stopped_then);
    assert_int_equal(result->n_cube, 1);
    assert_null(result->cube[0].column);
    assert_true(isnan(result->cube[0].report.bare.mean) && isnan(result->cube[0].report.correlation));
    assert_close(result->cube[0].report.shift, 0.75 * PC, 1e-6);
    assert_close(result->cube[0].report.depth.largest, 3.0, 1e-6);
    lr_result_free(result);
}

static void a_failure_is_a_warning(void **state)
{
    fails(*state, &(struct lr_backend){.trace = no_memory}, "out of memory: 7 bytes; the images are complete", 0);
}

static void a_stop_is_kept_in_mind(void **state)
{
    fails(*state, &(struct lr_backend){.trace = stopped}, "stopped after making the images", 1);
}

static void nothing_shines_in_a_dark_scene(void **state)
{
    struct fixture *f = *state;
    const struct window all = {0, 1, 0, N_CHANNEL};
    struct scene *lit = NULL, *dark = NULL;
    load_with(f, FAR,
              "line: lya\nmedium: {temperature: 1e4 K, density: 1e-3 cm^-3}\nsources:\n"
              "- {volume: {}, spectrum: {gaussian: {sigma: 1 km/s}}, luminosity: 1 photon/s}\n"
              "- {point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}");
    assert_int_equal(scene_build(f->ctx, f->model, &all, &lit), LR_OK);
    assert_int_equal(scene_build_dark(f->ctx, f->model, &dark), LR_OK);
    assert_int_equal(lit->n_glow, 1);
    assert_int_equal(lit->n_point, 1);
    assert_null(dark->emissivity[0].value);
    assert_null(dark->line_source.values);
    assert_int_equal(dark->n_point, 0);
    assert_int_equal(dark->n_glow, 0);
    assert_int_equal(dark->channels.n, lit->channels.n);
    scene_free(lit);
    scene_free(dark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(light_is_what_stands_out_of_the_sky),
                                       RUN(a_distance_needs_two_channels),
                                       RUN(near_observers_measure_angles),
                                       RUN(a_failure_is_a_warning),
                                       RUN(a_stop_is_kept_in_mind),
                                       RUN(nothing_shines_in_a_dark_scene)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
