/* A scene is read back as it was written, a damaged or foreign file is rejected by name, and only images that the
 * stored light allows can be requested. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>

#include "image_fixture.h"
#include "model/scene.h"

enum { N_CELL = SCENE_X * SCENE_Y * SCENE_Z };
/* Including the elements of the faces perpendicular to x, y and z. */

static int setup(void **state)
{
    if (image_setup(state) != 0)
        return -1;
    struct image_fixture *f = *state;
    return lr_result_write(f->ctx, f->result, f->path) == LR_OK ? 0 : -1;
}

static lr_scene *load(struct image_fixture *f, const char *const *settings, int n)
{
    lr_scene *scene = NULL;
    if (lr_scene_load(f->ctx, f->path, settings, n, &scene) != LR_OK)
        fail_msg("%s", lr_last_error(f->ctx));
    return scene;
}

static void assert_refused(struct image_fixture *f, const char *const *settings, int n, const char *text)
{
    lr_scene *scene = NULL;
    assert_int_not_equal(lr_scene_load(f->ctx, f->path, settings, n, &scene), LR_OK);
    assert_null(scene);
    if (!strstr(lr_last_error(f->ctx), text))
        fail_msg("'%s' is not in the error: %s", text, lr_last_error(f->ctx));
}

/* ---- round trip ---- */

static void assert_field(const struct field *found, const struct field *expected, double tolerance)
{
    assert_true((found->values != NULL) == (expected->values != NULL));
    for (int64_t i = 0; i < N_CELL; i++)
        assert_true(fabs(field_at(found, i) - field_at(expected, i)) <= tolerance * fabs(field_at(expected, i)));
}

static void assert_doubles(const double *found, const double *expected, int n)
{
    for (int i = 0; i < n; i++)
        assert_true(found[i] == expected[i]);
}

static void gas_and_light_are_read_back_as_written(void **state)
{
    struct image_fixture *f = *state;
    const struct scene *was = f->result->scene;
    lr_scene *loaded = load(f, NULL, 0);
    const struct scene *is = loaded->scene;
    const double single = 1e-7; /* a run in mixed precision is stored in single */
    assert_true(is->nu0 == was->nu0 && is->reference_b == was->reference_b);
    for (int axis = 0; axis < 3; axis++) {
        assert_int_equal(is->mesh.n[axis], was->mesh.n[axis]);
        assert_doubles(is->mesh.edge[axis], was->mesh.edge[axis], was->mesh.n[axis] + 1);
    }
    assert_memory_equal(is->mesh.face, was->mesh.face, sizeof was->mesh.face);
    assert_field(&is->medium.alpha0, &was->medium.alpha0, single);
    assert_field(&is->medium.b, &was->medium.b, 0.0);
    assert_field(&is->medium.a, &was->medium.a, 0.0);
    for (int axis = 0; axis < 3; axis++)
        assert_field(&is->medium.velocity[axis], &was->medium.velocity[axis], single);
    assert_field(&is->line_source, &was->line_source, 0.0); /* beyond the range of float, so in double */
    assert_doubles(is->sky, was->sky, IMAGE_CHANNEL * LIGHT_PARTS);
    assert_true(is->external && was->external);
    assert_int_equal(is->n_point, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(is->point[i].camera, i);
        assert_doubles(is->point[i].position, was->point[i].position, 3);
        assert_doubles(is->point[i].strength, was->point[i].strength, IMAGE_CHANNEL * LIGHT_PARTS);
    }
    assert_int_equal(is->n_plane, 1);
    assert_true(is->plane[0].axis == 2 && is->plane[0].isotropic && is->plane[0].side == -1);
    assert_true(is->plane[0].camera == 1 && is->plane[0].offset == was->plane[0].offset);
    assert_doubles(is->plane[0].brightness, was->plane[0].brightness, IMAGE_CHANNEL * LIGHT_PARTS);
    assert_int_equal(is->n_glow, 2);
    for (int i = 0; i < 2; i++) {
        assert_field(&is->glow[i].strength, &was->glow[i].strength, single);
        assert_int_equal(is->glow[i].n, GLOW_SHIFT);
        assert_true(is->glow[i].first == -2e5 && is->glow[i].step == 1e5 && is->glow[i].gas_frame == (i == 0));
        assert_doubles(is->glow[i].below, was->glow[i].below, GLOW_SHIFT);
    }
    lr_scene_free(loaded);
}

static void cameras_keep_their_emissivity(void **state)
{
    struct image_fixture *f = *state;
    const struct emissivity *was = f->result->scene->emissivity;
    lr_scene *loaded = load(f, NULL, 0);
    const struct emissivity *is = loaded->scene->emissivity;
    assert_true(is[0].unit == was[0].unit);
    assert_int_equal(loaded->scene->rows.n, N_CELL);
    assert_memory_equal(is[0].value, was[0].value, N_CELL * IMAGE_CHANNEL * sizeof(float));
    assert_memory_equal(is[0].error, was[0].error, N_CELL * IMAGE_CHANNEL * sizeof(float));
    assert_null(is[1].value);
    assert_int_equal(loaded->n_camera, 2);
    assert_string_equal(loaded->camera[0].name, "front");
    assert_int_equal(loaded->camera[0].pixels[0], 6);
    assert_true(loaded->camera[1].kind == CAMERA_PERSPECTIVE);
    assert_int_equal(loaded->origin[1], 1);
    assert_int_equal(loaded->channels.n, IMAGE_CHANNEL);
    assert_string_equal(loaded->model_text, image_model);
    lr_scene_free(loaded);
}

/* ---- what may change ---- */

static void pixels_field_and_cameras_can_change(void **state)
{
    struct image_fixture *f = *state;
    const char *const settings[] = {"camera=front", "pixels=20", "field=2 pc", "image.unit=K",
                                    "centre=[1 pc, 0 pc, 0 pc]"};
    lr_scene *loaded = load(f, settings, 5);
    assert_int_equal(loaded->n_camera, 1);
    assert_int_equal(loaded->origin[0], 0);
    assert_int_equal(loaded->camera[0].pixels[1], 20);
    assert_true(fabs(loaded->camera[0].field[0] / (2.0 * LR_PARSEC) - 1.0) < 1e-9);
    assert_true(fabs(loaded->camera[0].centre[0] / LR_PARSEC - 1.0) < 1e-9);
    lr_scene_free(loaded);
}

static void a_camera_without_a_number_is_dropped_by_name(void **state)
{
    struct image_fixture *f = *state;
    const char *const settings[] = {"camera=near"};
    lr_scene *loaded = load(f, settings, 1);
    assert_int_equal(loaded->n_camera, 1);
    assert_int_equal(loaded->origin[0], 1);
    lr_scene_free(loaded);
    assert_refused(f, (const char *const[]){"camera=back"}, 1, "front, near");
}

static void channels_are_cropped_and_merged(void **state)
{
    struct image_fixture *f = *state;
    lr_scene *loaded = load(f, (const char *const[]){"range=[-2 km/s, 4 km/s]", "bin=3"}, 2);
    assert_int_equal(loaded->channels.n, 2);
    assert_true(loaded->channels.first == -2.0 * image_km && loaded->channels.width == 3.0 * image_km);
    lr_scene_free(loaded);
    loaded = load(f, (const char *const[]){"channels.number=4"}, 1);
    assert_int_equal(loaded->channels.n, 4);
    assert_true(loaded->channels.width == 2.0 * image_km);
    lr_scene_free(loaded);
    assert_refused(f, (const char *const[]){"bin=3"}, 1, "choose 2, 4, 8");
    assert_refused(f, (const char *const[]){"bin=0"}, 1, "choose 2, 4, 8");
    assert_refused(f, (const char *const[]){"range=[-2.5 km/s, 3 km/s]"}, 1, "8 of 1 km/s from -4 to 4 km/s");
    assert_refused(f, (const char *const[]){"range=[-5 km/s, 3 km/s]"}, 1, "8 of 1 km/s from -4 to 4 km/s");
    assert_refused(f, (const char *const[]){"channels.number=16"}, 1, "8 of 1 km/s from -4 to 4 km/s");
}

static void directions_stay(void **state)
{
    struct image_fixture *f = *state;
    assert_refused(f, (const char *const[]){"cameras.0.direction=+x"}, 1,
                   "changing the direction of a camera needs a new run");
    assert_refused(f, (const char *const[]){"cameras.1.position=[0 pc, 0 pc, 21 pc]"}, 1,
                   "changing the position of a camera needs a new run");
    assert_refused(f, (const char *const[]){"medium.temperature=1 K"}, 1, "needs a new run");
    assert_refused(f, (const char *const[]){"pixels=0"}, 1, "cameras.0.pixels");
}

/* ---- of a result in memory ---- */

static lr_scene *share(struct image_fixture *f, const char *const *settings, int n)
{
    lr_scene *scene = NULL;
    if (lr_scene_from_result(f->ctx, f->result, settings, n, &scene) != LR_OK)
        fail_msg("%s", lr_last_error(f->ctx));
    return scene;
}

/* The light itself, not a copy; the result can still be used and freed once the scene is gone. */
static void a_result_in_memory_lends_its_light(void **state)
{
    struct image_fixture *f = *state;
    lr_scene *scene = share(f, (const char *const[]){"camera=front", "pixels=20", "bin=2"}, 3);
    assert_ptr_equal(scene->scene->emissivity[0].value, f->result->scene->emissivity[0].value);
    assert_doubles(scene->scene->sky, f->result->scene->sky, IMAGE_CHANNEL * LIGHT_PARTS);
    assert_int_equal(scene->camera[0].pixels[0], 20);
    assert_int_equal(scene->channels.n, IMAGE_CHANNEL / 2);
    lr_scene_free(scene);
    assert_int_equal(f->result->scene->channels.n, IMAGE_CHANNEL);
    scene = NULL;
    const char *const turned[] = {"cameras.0.direction=+x"};
    assert_int_equal(lr_scene_from_result(f->ctx, f->result, turned, 1, &scene), LR_ERROR_INPUT);
    assert_null(scene);
    assert_non_null(strstr(lr_last_error(f->ctx), "changing the direction of a camera needs a new run"));
}

static void a_result_without_light_is_refused(void **state)
{
    struct image_fixture *f = *state;
    lr_scene *scene = NULL;
    scene_free(f->result->scene);
    f->result->scene = NULL;
    assert_int_equal(lr_scene_from_result(f->ctx, f->result, NULL, 0, &scene), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(f->ctx), "image.emissivity: true"));
}

/* Keeps the gas and removes everything that is stored per camera or channel. */
static void keep_gas_alone(struct scene *scene)
{
    for (int i = 0; i < scene->n_point; i++)
        free(scene->point[i].strength);
    for (int i = 0; i < scene->n_plane; i++)
        free(scene->plane[i].brightness);
    for (int i = 0; i < scene->n_glow; i++) {
        free(scene->glow[i].strength.values);
        free(scene->glow[i].below);
    }
    scene->n_point = scene->n_plane = scene->n_glow = 0;
    free(scene->emissivity[0].value);
    free(scene->emissivity[0].error);
    scene->emissivity[0] = (struct emissivity){.value = NULL};
    memset(scene->sky, 0, IMAGE_CHANNEL * LIGHT_PARTS * sizeof *scene->sky);
    scene->external = false;
}

static void gas_alone_is_seen_from_anywhere_in_any_channels(void **state)
{
    struct image_fixture *f = *state;
    const char *const settings[] = {"cameras.0.direction=+x", "channels.number=21",
                                    "channels.range=[-3 km/s, 7.5 km/s]"};
    assert_false(scene_is_gas_alone(f->result->scene));
    keep_gas_alone(f->result->scene);
    assert_true(scene_is_gas_alone(f->result->scene));
    lr_scene *scene = share(f, settings, 3);
    assert_true(scene->camera[0].toward[0] == 1.0);
    assert_int_equal(scene->channels.n, 21);
    assert_true(fabs(scene->channels.width / (0.5 * image_km) - 1.0) < 1e-12);
    assert_true(scene->scene->channels.first == scene->channels.first && scene->scene->refined == 1);
    for (int c = 0; c < 21 * LIGHT_PARTS; c++)
        assert_true(scene->scene->sky[c] == 0.0);
    lr_scene_free(scene);
    assert_int_equal(f->result->scene->channels.n, IMAGE_CHANNEL);
    assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
    scene = load(f, settings, 3); /* the same from a file */
    assert_int_equal(scene->channels.n, 21);
    lr_scene_free(scene);
    scene = load(f, (const char *const[]){"bin=4"}, 1); /* short settings still refer to stored channels */
    assert_int_equal(scene->scene->channels.n, IMAGE_CHANNEL);
    lr_scene_free(scene);
}

/* right is x and up is y of this camera */
static void an_offset_moves_the_middle_of_the_image(void **state)
{
    struct image_fixture *f = *state;
    lr_scene *scene = share(f, (const char *const[]){"cameras.0.offset=[0.5 pc, -1 pc]"}, 1);
    assert_true(fabs(scene->camera[0].centre[0] / LR_PARSEC - 0.5) < 1e-9);
    assert_true(fabs(scene->camera[0].centre[1] / LR_PARSEC + 1.0) < 1e-9);
    lr_scene_free(scene);
    assert_refused(f, (const char *const[]){"cameras.1.offset=[1 pc, 1 pc]"}, 1, "looks at its 'centre'");
    assert_refused(f, (const char *const[]){"cameras.0.offset=[1 pc]"}, 1, "two lengths");
    assert_refused(f, (const char *const[]){"cameras.0.offset=[1 K, 1 pc]"}, 1, "cameras.0.offset");
}

/* ---- files that are not what they should be ---- */

static void change(struct image_fixture *f, void (*edit)(hid_t file))
{
    hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    edit(file);
    H5Fclose(file);
}

static void drop_scene(hid_t file)
{
    H5Ldelete(file, "/scene", H5P_DEFAULT);
}

static void drop_sky(hid_t file)
{
    H5Ldelete(file, "/scene/sky", H5P_DEFAULT);
}

static void drop_format(hid_t file)
{
    H5Adelete(file, "format");
}

static void replace(hid_t file, const char *name, int rank, const hsize_t *size, const double *values)
{
    hid_t space = H5Screate_simple(rank, size, NULL);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t id = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (values)
        H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(id);
    H5Sclose(space);
}

static void shorten_sky(hid_t file)
{
    replace(file, "/scene/sky", 1, (const hsize_t[]){3}, (const double[]){1.0, 2.0, 3.0});
}

static void turn_mesh(hid_t file)
{
    replace(file, "/mesh/z_edges", 1, (const hsize_t[]){3}, (const double[]){1.0, 0.0, 2.0});
}

static void stretch_mesh(hid_t file)
{
    replace(file, "/mesh/z_edges", 1, (const hsize_t[]){1 << 23}, NULL);
}

static void spoil_point(hid_t file)
{
    replace(file, "/scene/point_geometry", 2, (const hsize_t[]){2, 4},
            (const double[]){0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0});
}

static void set_integer(hid_t file, const char *name, int64_t value)
{
    hid_t space = H5Screate(H5S_SCALAR), group = H5Gopen2(file, "/scene", H5P_DEFAULT);
    H5Adelete(group, name);
    hid_t id = H5Acreate2(group, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(id, H5T_NATIVE_INT64, &value);
    H5Aclose(id);
    H5Gclose(group);
    H5Sclose(space);
}

static void claim_too_much(hid_t file)
{
    set_integer(file, "channels", 100000);
}

static void claim_aspects(hid_t file)
{
    set_integer(file, "aspects", 32);
}

static void make_older(hid_t file)
{
    H5Adelete_by_name(file, "/scene", "format", H5P_DEFAULT);
}

static void make_newer(hid_t file)
{
    set_integer(file, "format", 3);
}

static void spoil_glow(hid_t file)
{
    replace(file, "/scene/glow_0/below", 1, (const hsize_t[]){3}, (const double[]){0.0, -1.0, 1.0});
}

static void damage_is_named(void **state)
{
    struct image_fixture *f = *state;
    const struct {
        void (*edit)(hid_t file);
        const char *text;
    } cases[] = {
        {drop_scene, "does not contain the gas"},
        {drop_sky, "'/scene/sky' is missing"},
        {drop_format, "not a linerad result"},
        {shorten_sky, "'/scene/sky' has the wrong shape"},
        {turn_mesh, "'/mesh/z_edges' does not"},
        {stretch_mesh, "'/mesh/z_edges' is larger than the file"},
        {spoil_point, "'/scene/point_geometry'"},
        {claim_too_much, "has the wrong shape"},
        {make_older, "stored in format 1, but this version reads format 2: run the model again"},
        {make_newer, "use the version of linerad that wrote it"},
        {spoil_glow, "'/scene/glow_0/below' has invalid values"},
        {claim_aspects, "'aspects'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unlink(f->path); /* without its mark it would not be overwritten */
        assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
        change(f, cases[i].edit);
        assert_refused(f, NULL, 0, cases[i].text);
        assert_non_null(strstr(lr_last_error(f->ctx), f->path));
    }
}

/* Cut off anywhere, the file is an error and nothing else. */
static void a_cut_file_is_refused(void **state)
{
    struct image_fixture *f = *state;
    struct stat whole;
    assert_int_equal(stat(f->path, &whole), 0);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(lr_result_write(f->ctx, f->result, f->path), LR_OK);
        assert_int_equal(truncate(f->path, whole.st_size * i / 20), 0);
        assert_refused(f, NULL, 0, "cannot be read as HDF5");
        unlink(f->path);
    }
    assert_refused(f, NULL, 0, "No such file");
}

/* ---- what else a result with images holds ---- */

static void images_are_stored_in_cgs(void **state)
{
    struct image_fixture *f = *state;
    enum { N = IMAGE_CHANNEL * IMAGE_Y * IMAGE_X };
    double values[N];
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t id = H5Dopen2(file, "/images/front/intensity", H5P_DEFAULT), type = H5Dget_type(id);
    assert_true(H5Tget_size(type) == sizeof(float));
    assert_true(H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (int i = 0; i < N; i++)
        assert_true(fabs(values[i] - i * 1e-18) <= 1e-7 * i * 1e-18);
    H5Tclose(type);
    H5Dclose(id);
    id = H5Dopen2(file, "/images/front/x_edges", H5P_DEFAULT);
    assert_true(H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(fabs(values[0] / (-3.0 * LR_PARSEC) - 1.0) < 1e-12);
    H5Dclose(id);
    H5Fclose(file);
}

/* As made by `linerad image`: cubes and nothing else. */
static void a_result_of_cubes_alone_is_written(void **state)
{
    struct image_fixture *f = *state;
    lr_result *result = f->result;
    scene_free(result->scene);
    result->scene = NULL;
    mesh_free(&result->mesh);
    result->mesh = (struct mesh){.n = {0}};
    result->summary.packets = result->summary.packets_requested = 0;
    assert_int_equal(lr_result_write(f->ctx, result, f->path), LR_OK);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const char *const missing[] = {"/spectrum", "/mesh", "/scene", "/packets", "/fields"};
    for (int i = 0; i < 5; i++)
        assert_true(H5Lexists(file, missing[i], H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "/images/front/intensity", H5P_DEFAULT) > 0);
    assert_true(H5Aexists_by_name(file, "/summary", "f_esc", H5P_DEFAULT) == 0);
    assert_true(H5Aexists_by_name(file, "/summary", "packets", H5P_DEFAULT) > 0);
    H5Fclose(file);
}

int main(void)
{
#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, setup, image_teardown)
    const struct CMUnitTest tests[] = {
        WITH_FILE(gas_and_light_are_read_back_as_written),
        WITH_FILE(cameras_keep_their_emissivity),
        WITH_FILE(pixels_field_and_cameras_can_change),
        WITH_FILE(a_camera_without_a_number_is_dropped_by_name),
        WITH_FILE(channels_are_cropped_and_merged),
        WITH_FILE(directions_stay),
        WITH_FILE(a_result_in_memory_lends_its_light),
        WITH_FILE(a_result_without_light_is_refused),
        WITH_FILE(gas_alone_is_seen_from_anywhere_in_any_channels),
        WITH_FILE(an_offset_moves_the_middle_of_the_image),
        WITH_FILE(damage_is_named),
        WITH_FILE(a_cut_file_is_refused),
        WITH_FILE(images_are_stored_in_cgs),
        WITH_FILE(a_result_of_cubes_alone_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
