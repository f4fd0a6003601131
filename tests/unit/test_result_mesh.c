/* A refined mesh in a result: its bricks and the shape of its fields are read back unchanged; damaged ones are
 * rejected. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>

#include "image_fixture.h"
#include "model/scene.h"

/* As many cells as in the fixture: 17 positions, the first of them divided. */
enum { N_BRICK = SCENE_X * SCENE_Y * SCENE_Z, N_ROOT = 17 };

static void build(lr_context *ctx, struct mesh *mesh)
{
    const int root[3] = {N_ROOT, 1, 1}, brick[3] = {1, 1, 1};
    const double lower[3] = {-2.0 * LR_PARSEC, -1.5 * LR_PARSEC, -1.0 * LR_PARSEC};
    const double size[3] = {4.0 * LR_PARSEC, 3.0 * LR_PARSEC, 2.0 * LR_PARSEC};
    int level[N_BRICK] = {0}, position[N_BRICK][3] = {{0}};
    for (int b = 0; b < N_BRICK; b++) {
        level[b] = b < 8;
        position[b][0] = b < 8 ? b >> 2 : b - 7;
        position[b][1] = b < 8 ? b >> 1 & 1 : 0;
        position[b][2] = b < 8 ? b & 1 : 0;
    }
    mesh_free(mesh);
    assert_int_equal(mesh_build_amr(ctx, root, brick, lower, size, N_BRICK, level, (const int(*)[3])position, mesh),
                     LR_OK);
}

static int setup(void **state)
{
    if (image_setup(state) != 0)
        return -1;
    struct image_fixture *f = *state;
    build(f->ctx, &f->result->mesh);
    struct scene *scene = f->result->scene;
    build(f->ctx, &scene->mesh);
    scene->rows = light_rows_make(&scene->mesh, 1);
    free(scene->emissivity[0].value);
    free(scene->emissivity[0].error);
    scene->emissivity[0].value = image_floats(scene_voxel_count(scene), 0.0f, 0.25f);
    scene->emissivity[0].error = image_floats(scene_voxel_count(scene), 0.0f, 0.01f);
    f->result->mean_intensity.value = image_doubles(N_BRICK, 1.0, 1.0);
    f->result->mean_intensity.error = image_doubles(N_BRICK, 0.1, 0.0);
    return lr_result_write(f->ctx, f->result, f->path) == LR_OK ? 0 : -1;
}

static void assert_shape(const struct image_fixture *f, const char *name, int rank, const int *shape)
{
    hsize_t size[8];
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT), id = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(id);
    assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
    H5Sget_simple_extent_dims(space, size, NULL);
    for (int i = 0; i < rank; i++)
        assert_int_equal(size[i], shape[i]);
    H5Sclose(space);
    H5Dclose(id);
    H5Fclose(file);
}

static void bricks_and_fields_have_their_shapes(void **state)
{
    const struct image_fixture *f = *state;
    assert_shape(f, "/mesh/level", 1, (const int[]){N_BRICK});
    assert_shape(f, "/mesh/position", 2, (const int[]){N_BRICK, 3});
    assert_shape(f, "/mesh/root", 1, (const int[]){3});
    assert_shape(f, "/fields/mean_intensity", 4, (const int[]){N_BRICK, 1, 1, 1});
    assert_shape(f, "/scene/gas/alpha0", 4, (const int[]){N_BRICK, 1, 1, 1});
    assert_shape(f, "/scene/cameras/front/emissivity", 5, (const int[]){N_BRICK, 1, 1, 1, IMAGE_CHANNEL});
}

static void the_mesh_is_read_back(void **state)
{
    struct image_fixture *f = *state;
    lr_scene *loaded = NULL;
    if (lr_scene_load(f->ctx, f->path, NULL, 0, &loaded) != LR_OK)
        fail_msg("%s", lr_last_error(f->ctx));
    const struct mesh *was = &f->result->mesh, *is = &loaded->scene->mesh;
    assert_int_equal(is->kind, MESH_AMR);
    assert_memory_equal(is->n, was->n, sizeof is->n);
    assert_memory_equal(is->face, was->face, sizeof is->face);
    assert_memory_equal(is->tree.root, was->tree.root, sizeof is->tree.root);
    assert_int_equal(is->tree.n_brick, N_BRICK);
    assert_memory_equal(is->tree.key, was->tree.key, N_BRICK * sizeof *is->tree.key);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(is->tree.lower[axis] == was->tree.lower[axis]);
        assert_true(fabs(is->tree.size[axis] / was->tree.size[axis] - 1) < 1e-15);
    }
    assert_memory_equal(loaded->scene->emissivity[0].value, f->result->scene->emissivity[0].value,
                        N_BRICK * IMAGE_CHANNEL * sizeof(float));
    assert_true(fabs(loaded->scene->medium.alpha0.values[5] / f->result->scene->medium.alpha0.values[5] - 1) < 1e-6);
    lr_scene_free(loaded);
}

/* Overwrites the first numbers of a dataset. */
static void spoil(const struct image_fixture *f, const char *name, int value)
{
    hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT), id = H5Dopen2(file, name, H5P_DEFAULT);
    int numbers[3 * N_BRICK];
    assert_true(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    numbers[0] = value;
    assert_true(H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(id);
    H5Fclose(file);
}

static void damaged_bricks_are_refused(void **state)
{
    struct image_fixture *f = *state;
    static const struct {
        const char *name, *text;
        int value;
    } list[] = {{"/mesh/level", "'/mesh' has bricks that do not fill it", 0},
                {"/mesh/level", "'/mesh/level' has invalid values", -1},
                {"/mesh/position", "'/mesh' has bricks that do not fill it", 33},
                {"/mesh/root", "'/mesh' has bricks that do not fill it", 18},
                {"/mesh/root", "'/mesh/root' has invalid values", 0},
                {"/mesh/brick", "has the wrong shape", 2}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        lr_scene *loaded = NULL;
        unlink(f->path);
        assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
        spoil(f, list[i].name, list[i].value);
        assert_int_not_equal(lr_scene_load(f->ctx, f->path, NULL, 0, &loaded), LR_OK);
        assert_null(loaded);
        if (!strstr(lr_last_error(f->ctx), list[i].text))
            fail_msg("'%s' is not in '%s'", list[i].text, lr_last_error(f->ctx));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bricks_and_fields_have_their_shapes, setup, image_teardown),
        cmocka_unit_test_setup_teardown(the_mesh_is_read_back, setup, image_teardown),
        cmocka_unit_test_setup_teardown(damaged_bricks_are_refused, setup, image_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
