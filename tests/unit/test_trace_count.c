/* The estimated work of images: rays, cells and frequencies counted by hand. */
#include "model_fixture.h"

#include "model/scene.h"
#include "solve/imaging/recording.h"
#include "solve/imaging/trace.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static double count(struct fixture *f, const char *camera, const char *mesh)
{
    char cameras[256];
    double steps = 0.0;
    snprintf(cameras, sizeof cameras, "cameras=[{%s}]", camera);
    const lr_model *model = LOAD(f, mesh, "channels={number: 10, range: [-10 km/s, 10 km/s], samples: 1}", cameras);
    const struct window whole = {.n_camera = 1, .n_channel = 10};
    const struct channels channels = recorded_channels(model, &whole);
    assert_int_equal(trace_count(f->ctx, &model->mesh, &model->medium, &channels, &model->camera[0], &steps), LR_OK);
    return steps;
}

/* 4 x 2 x 2 cells of (0.5 pc)^3, 10 frequencies. */
static void rays_meet_cells(void **state)
{
    struct fixture *f = *state;
    const char *mesh = "mesh.cells=[4, 2, 2]";
    assert_close(count(f, "direction: +z, field: [2 pc, 1 pc], pixels: [4, 2]", mesh), 8 * 2 * 10, 1e-12);
    assert_close(count(f, "direction: +x, field: [1 pc, 1 pc], pixels: [2, 2]", mesh), 4 * 4 * 10, 1e-12);
    assert_close(count(f, "direction: +x, field: [1 pc, 1 pc], pixels: [2, 2], rays: 3", mesh), 36 * 4 * 10, 1e-12);
    assert_close(count(f, "direction: +x, field: [4 pc, 4 pc], pixels: [8, 8]", mesh), 4 * 4 * 10, 1e-12);
    assert_close(count(f, "direction: +z, field: [1 pc, 1 pc], pixels: [2, 2]", mesh), 4 * 2 * 10, 1e-12);
}

/* The same box with its upper half along x refined once: 2 coarse and 4 fine cells along x, 2 or 4 along z. Refined
 * everywhere it is a mesh of 8 x 4 x 4 cells. */
static void rays_meet_cells_of_all_levels(void **state)
{
    struct fixture *f = *state;
    const char *half = "mesh={cells: [4, 2, 2], size: [2 pc, 1 pc, 1 pc], "
                       "refine: [{slab: {axis: x, from: 0.1 pc, to: 1 pc}, levels: 1}]}";
    const char *whole = "mesh={cells: [4, 2, 2], size: [2 pc, 1 pc, 1 pc], brick: 2, "
                        "refine: [{slab: {axis: x, from: -1 pc, to: 1 pc}, levels: 1}]}";
    const char *const along_x = "direction: +x, field: [1 pc, 1 pc], pixels: [2, 2], rays: 2";
    const char *const along_z = "direction: +z, field: [2 pc, 1 pc], pixels: [4, 2], rays: 2";
    const char *const oblique = "direction: [3, 2, 1], field: [3 pc, 3 pc], pixels: [4, 4], rays: 2";
    assert_close(count(f, along_x, half), 16 * 6 * 10, 1e-12);
    assert_close(count(f, along_z, half), 32 * 3 * 10, 1e-12);
    assert_close(count(f, oblique, whole), count(f, oblique, "mesh.cells=[8, 4, 4]"), 1e-12);
}

static void layers_take_one_pixel(void **state)
{
    struct fixture *f = *state;
    assert_close(count(f, "direction: +x, pixels: 32",
                       "mesh={cells: [7, 1, 1], size: [2 pc, 1 pc, 1 pc], faces: {x: open, y: periodic, z: periodic}}"),
                 7 * 10, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(rays_meet_cells), RUN(rays_meet_cells_of_all_levels),
                                       RUN(layers_take_one_pixel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
