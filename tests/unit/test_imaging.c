/* How a run with cameras is divided into passes if the emissivity does not fit into memory at once. */
#include "model_fixture.h"

#include "solve/imaging/imaging_plan.h"

/* 16 cells, 10 channels, 3 cameras: 480 voxels. One voxel takes 12 bytes on a device (a float and a wide sum), and 16
 * on the host including the emissivity made from it. */
enum { N_CAMERA = 3, N_CHANNEL = 10, N_ROW = 16, DEVICE_BYTES = 12, HOST_BYTES = 12 };
static const char CAMERAS[] =
    "channels: {number: 10, range: [-8 km/s, 8 km/s]}\n" /* b = 12.85 km/s: channels need no refinement */
    "cameras: [{direction: +x, pixels: 1}, {direction: +y, pixels: 1}, {direction: +z, pixels: 1}]\n";

static void load(struct fixture *f, const char *more)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", BASE, CAMERAS, more);
    assert_int_equal(model_load_text(f->ctx, f->units, "m.yaml", text, strlen(text), NULL, 0, &f->model), LR_OK);
}

/* Every camera and channel is in exactly one window. */
static void assert_covered(const struct imaging_plan *plan)
{
    int seen[N_CAMERA][N_CHANNEL] = {{0}};
    for (int w = 0; w < plan->n_window; w++) {
        const struct window *window = &plan->window[w];
        for (int c = window->camera; c < window->camera + window->n_camera; c++)
            for (int k = window->channel; k < window->channel + window->n_channel; k++)
                seen[c][k]++;
    }
    for (int c = 0; c < N_CAMERA; c++)
        for (int k = 0; k < N_CHANNEL; k++)
            assert_int_equal(seen[c][k], 1);
}

static void test_everything_at_once_when_it_fits(void **state)
{
    struct fixture *f = *state;
    struct imaging_plan plan = {0};
    load(f, "");
    assert_int_equal(imaging_plan(f->ctx, f->model, 480 * DEVICE_BYTES, 480 * HOST_BYTES, &plan), LR_OK);
    assert_int_equal(plan.n_window, 1);
    assert_covered(&plan);
    imaging_plan_free(&plan);
}

static void test_cut_by_cameras_then_by_channels(void **state)
{
    struct fixture *f = *state;
    const struct {
        int voxels, windows;
    } cases[] = {{479, 2}, {320, 2}, {319, 3}, {160, 3}, {159, 6}, {N_ROW * 4, 9}, {N_ROW, 30}};
    load(f, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct imaging_plan on_device = {0};
        struct imaging_plan on_host = {0};
        const double n = cases[i].voxels, cubes = 256;
        assert_int_equal(imaging_plan(f->ctx, f->model, n * DEVICE_BYTES, 1e9, &on_device), LR_OK);
        assert_int_equal(imaging_plan(f->ctx, f->model, 1e9, fmax(n * HOST_BYTES, cubes), &on_host), LR_OK);
        assert_int_equal(on_device.n_window, cases[i].windows);
        assert_int_equal(on_host.n_window, cases[i].windows);
        assert_covered(&on_device);
        imaging_plan_free(&on_device);
        imaging_plan_free(&on_host);
    }
}

/* Observers of shells share the transport sums, 12 bytes per shell, aspect and channel. When the packets are done, 4
 * bytes of them are left, and each observer has an emissivity of 4 bytes on the host. Gas at rest has 32 aspects. */
static void test_observers_of_shells_share_sums_only(void **state)
{
    struct fixture *f = *state;
    static const char shells[] = "mesh: {shells: 16, outer: 1 pc}\n"
                                 "line: lya\n"
                                 "medium: {temperature: 1e4 K, density: 1e-3 cm^-3}\n"
                                 "sources: [{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, "
                                 "luminosity: 1 photon/s}]\n";
    char text[2048];
    snprintf(text, sizeof text, "%s%s", shells, CAMERAS);
    assert_int_equal(model_load_text(f->ctx, f->units, "m.yaml", text, strlen(text), NULL, 0, &f->model), LR_OK);
    assert_int_equal(aspect_count(f->model), 32);
    const double n = 16.0 * 32 * N_CHANNEL;
    const struct {
        double on_device, on_host;
        int windows;
    } cases[] = {{12, 16, 1},   {12, 15.9, 2}, {12, 12, 2}, {12, 11.9, 6},
                 {11.9, 24, 6}, {12, 1e9, 1},  {1e9, 8, 6}, {1e9, 1.6, 30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct imaging_plan plan = {0};
        assert_int_equal(imaging_plan(f->ctx, f->model, n * cases[i].on_device, n * cases[i].on_host, &plan), LR_OK);
        assert_int_equal(plan.n_window, cases[i].windows);
        assert_covered(&plan);
        imaging_plan_free(&plan);
    }
}

static void test_one_channel_must_fit(void **state)
{
    struct fixture *f = *state;
    struct imaging_plan plan = {0};
    load(f, "");
    assert_int_equal(imaging_plan(f->ctx, f->model, (N_ROW - 1) * DEVICE_BYTES, 1e9, &plan), LR_ERROR_MEMORY);
    assert_non_null(strstr(lr_last_error(f->ctx), "use a smaller mesh"));
    imaging_plan_free(&plan);
}

/* With packets, and if memory permits, channels are recorded as narrower ones of at most b/8; passes count these. b/8
 * is 1.606 km/s. */
static void test_wide_channels_are_recorded_as_narrow_ones(void **state)
{
    struct fixture *f = *state;
    const struct {
        const char *setting;
        int factor;
    } cases[] = {{"channels.range=[-8 km/s, 8 km/s]", 1},
                 {"channels.range=[-8.5 km/s, 8.5 km/s]", 2},
                 {"channels.range=[-17 km/s, 17 km/s]", 4},
                 {"channels.range=[-500 km/s, 500 km/s]", 64},
                 {"channels.samples=4", 1},
                 {"run.packets=0", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        struct imaging_plan plan = {0};
        const char *settings[] = {i < 4 ? "channels.samples=auto" : "channels.range=[-50 km/s, 50 km/s]",
                                  cases[i].setting};
        snprintf(text, sizeof text, "%s%s", BASE, CAMERAS);
        assert_int_equal(model_load_text(f->ctx, f->units, "m.yaml", text, strlen(text), settings, 2, &f->model),
                         LR_OK);
        assert_int_equal(channel_refinement(f->model), cases[i].factor);
        const double n = 480.0 * cases[i].factor;
        const struct window whole = {.n_camera = N_CAMERA, .n_channel = N_CHANNEL};
        assert_int_equal(recorded_channels(f->model, &whole).n, N_CHANNEL * cases[i].factor);
        assert_int_equal(imaging_plan(f->ctx, f->model, n * DEVICE_BYTES, n * HOST_BYTES, &plan), LR_OK);
        assert_int_equal(plan.n_window, 1);
        imaging_plan_free(&plan);
        if (f->model->run.packets > 0) {
            assert_int_equal(imaging_plan(f->ctx, f->model, n * DEVICE_BYTES - 1, 1e9, &plan), LR_OK);
            assert_int_equal(plan.n_window, 2);
            imaging_plan_free(&plan);
        }
        lr_model_free(f->model);
        f->model = NULL;
    }
}

/* Beyond 2^25 numbers for one camera, channels of b/4 are enough; beyond 2^29 they are not refined. */
static void test_large_meshes_are_recorded_in_wider_channels(void **state)
{
    struct fixture *f = *state;
    const struct {
        const char *mesh, *range;
        int factor;
    } cases[] = {{"mesh.cells=[128, 128, 128]", "channels.range=[-16 km/s, 16 km/s]", 1}, /* 2e7 numbers unrefined */
                 {"mesh.cells=[128, 128, 128]", "channels.range=[-17 km/s, 17 km/s]", 2},
                 {"mesh.cells=[128, 128, 128]", "channels.range=[-60 km/s, 60 km/s]", 4},
                 {"mesh.cells=[128, 128, 128]", "channels.range=[-500 km/s, 500 km/s]", 16}, /* 32: 2^29.4 */
                 {"mesh.cells=[32, 32, 32]", "channels.range=[-60 km/s, 60 km/s]", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        const char *settings[] = {cases[i].mesh, cases[i].range};
        snprintf(text, sizeof text, "%s%s", BASE, CAMERAS);
        assert_int_equal(model_load_text(f->ctx, f->units, "m.yaml", text, strlen(text), settings, 2, &f->model),
                         LR_OK);
        assert_int_equal(channel_refinement(f->model), cases[i].factor);
        lr_model_free(f->model);
        f->model = NULL;
    }
}

/* What is stored must fit into memory as a whole. */
static void test_kept_emissivity_must_fit(void **state)
{
    struct fixture *f = *state;
    struct imaging_plan plan = {0};
    load(f, "image: {emissivity: true}\n");
    assert_int_equal(imaging_plan(f->ctx, f->model, 100 * DEVICE_BYTES, 1e9, &plan), LR_ERROR_MEMORY);
    assert_non_null(strstr(lr_last_error(f->ctx), "image.emissivity"));
    imaging_plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_everything_at_once_when_it_fits, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_cut_by_cameras_then_by_channels, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_observers_of_shells_share_sums_only, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_one_channel_must_fit, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_wide_channels_are_recorded_as_narrow_ones, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_large_meshes_are_recorded_in_wider_channels, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_kept_emissivity_must_fit, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
