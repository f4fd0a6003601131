/* The keys `refine` and `brick` of a mesh: which cells there are, fields on them, and mistakes. */
#define _POSIX_C_SOURCE 200809L
#include "model_fixture.h"

#include <unistd.h>

#include "mesh/amr.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static const char BOX[] =
    "mesh.refine=[{box: {min: [0.55 pc, 0.05 pc, 0.05 pc], max: [0.95 pc, 0.2 pc, 0.2 pc]}, levels: 2}]";

static void levels_are_where_regions_are(void **state)
{
    const struct mesh *mesh = &LOAD(*state, BOX)->mesh;
    /* the box is inside one of 16 cells, which becomes 8; two of these contain the box and become 8 each */
    assert_int_equal(mesh->kind, MESH_AMR);
    int count[3] = {0};
    for (int64_t b = 0; b < mesh->tree.n_brick; b++) {
        int position[3];
        const int level = amr_brick_place(&mesh->tree, b, position);
        assert_true(level <= 2);
        count[level]++;
    }
    assert_int_equal(count[0], 15);
    assert_int_equal(count[1], 8 - 2);
    assert_int_equal(count[2], 2 * 8);
    assert_close(mesh_size(mesh, 0), 2 * PC, 1e-14);
    assert_close(mesh_lower(mesh, 1), -0.5 * PC, 1e-14);
}

static void the_larger_number_counts(void **state)
{
    const struct mesh *mesh =
        &LOAD(*state, BOX, "mesh.refine.1={slab: {axis: x, from: 0 pc, to: 1 pc}, levels: 1}")->mesh;
    assert_int_equal(mesh->tree.n_brick, 8 + 8 * 8 + 2 * 7);
}

static void bricks_hold_several_cells(void **state)
{
    const struct mesh *mesh = &LOAD(*state, "mesh.brick=2", BOX, "mesh.faces={y: periodic}")->mesh;
    assert_int_equal(mesh->tree.n_brick, 1 + 7 + 8);
    assert_int_equal(mesh_cell_count(mesh), 16 * 8);
    assert_int_equal(mesh->face[2], FACE_PERIODIC);
    /* a list without regions is allowed: a mesh of one level */
    mesh = &LOAD(*state, "mesh.refine=[]")->mesh;
    assert_int_equal(mesh->kind, MESH_AMR);
    assert_int_equal(mesh->tree.n_brick, 16);
}

/* Depths along x from the centre, through cells of two sizes. */
static void fields_are_painted_and_scaled(void **state)
{
    const lr_model *model =
        LOAD(*state, "mesh.refine=[{box: {min: [0 pc, 0 pc, 0 pc], max: [1 pc, 1 pc, 1 pc]}, levels: 1}]",
             "medium={temperature: 1e4 K, tau_centre: 6, opacity: {default: 0 1/pc, regions: [{box: "
             "{min: [-1 pc, -1 pc, -1 pc], max: [0.25 pc, 1 pc, 1 pc]}, value: 3 1/pc}]}}");
    const int64_t n = mesh_cell_count(&model->mesh);
    double mass = 0;
    for (int64_t cell = 0; cell < n; cell++) {
        int at[3];
        mesh_cell_place(&model->mesh, cell, at);
        mass += field_at(&model->medium.alpha0, cell) * mesh_cell_volume(&model->mesh, at[0], at[1], at[2]);
    }
    /* 0.25 pc of opacity from the centre on is a depth of 6: 24 / pc */
    assert_close(mass / (PC * PC), 24 * 1.25, 1e-12);
}

static void datasets_have_the_shape_of_the_bricks(void **state)
{
    struct fixture *f = *state;
    char folder[] = "/tmp/linerad-refine-XXXXXX", path[64], setting[160];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f.h5", folder);
    snprintf(setting, sizeof setting, "medium.density={file: %s, dataset: n}", path);
    double values[16 * 8];
    for (int i = 0; i < 128; i++)
        values[i] = 1 + i;
    const hsize_t shape[4] = {16, 2, 2, 2}, flat[3] = {32, 2, 2};
    write_dataset(path, true, "n", H5T_IEEE_F64LE, 4, shape, values, "cm-3");
    const lr_model *model = LOAD(f, "mesh.brick=2", BOX, setting);
    const double *opacity = model->medium.alpha0.values;
    for (int i = 0; i < 128; i++)
        assert_close(opacity[i] / opacity[0], values[i], 1e-12);
    values[3 * 8 + 5] = -1;
    write_dataset(path, true, "n", H5T_IEEE_F64LE, 4, shape, values, "cm-3");
    const char *const settings[] = {"mesh.brick=2", BOX, setting, NULL};
    assert_int_equal(load_text(f, BASE, settings), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(f->ctx), "the value -1 at cell [3, 1, 0, 1] is negative"));
    write_dataset(path, true, "n", H5T_IEEE_F64LE, 3, flat, values, "cm-3");
    assert_int_equal(load_text(f, BASE, settings), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(f->ctx), "has shape (32, 2, 2); the mesh needs (16, 2, 2, 2)"));
    unlink(path);
    rmdir(folder);
}

static void mistakes(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *setting, *part;
    } list[] = {
        {"mesh.brick=2", "mesh.brick: 'brick' needs a mesh with 'refine'"},
        {"mesh.refine=3", "mesh.refine: expected a list"},
        {"mesh.refine=[{levels: 1}]", "mesh.refine.0: a region needs one of: box, sphere, shell, slab"},
        {"mesh.refine=[{slab: {axis: x, from: 0 pc, to: 1 pc}}]", "mesh.refine.0: the key 'levels' is missing"},
        {"mesh.refine=[{slab: {axis: x, from: 0 pc, to: 1 pc}, levels: 0}]", "'0' must lie between 1 and 15"},
        {"mesh.refine=[{slab: {axis: x, from: 0 pc, to: 1 pc}, value: 1}]", "value: unknown key"},
        {"mesh={cells: [6, 2, 2], size: [2 pc, 1 pc, 1 pc], brick: 4, refine: []}",
         "mesh.brick: 6 cells along x are not a whole number of bricks of 4"},
        {"mesh={cells: [64, 64, 64], size: [2 pc, 1 pc, 1 pc], brick: 16, refine: [{slab: {axis: x, from: -9 pc, to: 9 "
         "pc}, levels: 6}]}",
         "mesh.refine: the refined mesh has more than 524287 bricks of 4096 cells; refine less, or smaller regions"},
        {"mesh={cells: [128, 1, 1], size: [2 pc, 1 pc, 1 pc], refine: [{slab: {axis: x, from: 0 pc, to: 1 pc}, levels: "
         "14}]}",
         "mesh.refine: region 0: 14 levels with 128 bricks along x are too many; the finest level may have at most "
         "2^20"},
        {"mesh={edges: {x: [0 pc, 1 pc], y: [0 pc, 1 pc], z: [0 pc, 1 pc]}, refine: []}",
         "mesh.refine: only meshes of equal 'cells' can be refined"},
        {"mesh={shells: 4, outer: 1 pc, refine: []}", "mesh.refine: a mesh of shells has no 'refine'"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *const settings[] = {list[i].setting, NULL};
        assert_int_not_equal(load_text(f, BASE, settings), LR_OK);
        if (!strstr(lr_last_error(f->ctx), list[i].part))
            fail_msg("'%s' is not in '%s'", list[i].part, lr_last_error(f->ctx));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(levels_are_where_regions_are),
                                       RUN(the_larger_number_counts),
                                       RUN(bricks_hold_several_cells),
                                       RUN(fields_are_painted_and_scaled),
                                       RUN(datasets_have_the_shape_of_the_bricks),
                                       RUN(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
