/* Cameras, channels and images: geometry against vectors and angles worked out by hand, every option, every error. */
#define _POSIX_C_SOURCE 200809L
#include "io/model/stored_observation.h"
#include "model_fixture.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
#define PI 3.14159265358979323846
#define DEG (PI / 180)
#define ARCSEC (PI / 648000)

/* BASE extends 2 x 1 x 1 pc about the origin. */
#define CHANNELS "channels={number: 10, range: [-5 km/s, 5 km/s]}"
#define LOAD_CAMERA(state, camera) LOAD((state), CHANNELS, "cameras=[" camera "]")

static void assert_vector(const double v[3], double x, double y, double z)
{
    if (!(fabs(v[0] - x) < 1e-14 && fabs(v[1] - y) < 1e-14 && fabs(v[2] - z) < 1e-14))
        fail_msg("[%.17g, %.17g, %.17g] is not [%g, %g, %g]", v[0], v[1], v[2], x, y, z);
}

static void up_is_z_or_y_and_right_completes_the_image(void **state)
{
    const lr_model *m = LOAD_CAMERA(*state, "{direction: +z}, {direction: -z}, {direction: +x}, {direction: -y}");
    assert_int_equal(m->n_camera, 4);
    assert_vector(m->camera[0].toward, 0, 0, 1);
    assert_vector(m->camera[0].up, 0, 1, 0);
    assert_vector(m->camera[0].right, 1, 0, 0);
    assert_vector(m->camera[1].up, 0, 1, 0);
    assert_vector(m->camera[1].right, -1, 0, 0);
    assert_vector(m->camera[2].up, 0, 0, 1);
    assert_vector(m->camera[2].right, 0, 1, 0);
    assert_vector(m->camera[3].up, 0, 0, 1);
    assert_vector(m->camera[3].right, 1, 0, 0);
    /* From [0, 3, 4] / 5: up is z minus its part along the line of sight, [0, -0.48, 0.36] / 0.6. */
    m = LOAD_CAMERA(*state, "{direction: [0, 3, 4]}");
    assert_vector(m->camera[0].toward, 0, 0.6, 0.8);
    assert_vector(m->camera[0].up, 0, -0.8, 0.6);
    assert_vector(m->camera[0].right, -1, 0, 0);
}

static void angles_give_the_direction(void **state)
{
    const lr_model *m = LOAD_CAMERA(*state, "{theta: 30 deg, phi: 60 deg}, {theta: 90 deg, phi: 90 deg}, "
                                            "{theta: 180 deg}, {theta: 1.5707963267948966 rad, phi: -10800 arcmin}");
    assert_vector(m->camera[0].toward, 0.25, 0.25 * sqrt(3.0), 0.5 * sqrt(3.0));
    /* Perpendicular to an axis means exactly perpendicular. */
    assert_true(m->camera[1].toward[0] == 0.0 && m->camera[1].toward[2] == 0.0 && m->camera[1].toward[1] == 1.0);
    assert_vector(m->camera[2].toward, 0, 0, -1);
    assert_vector(m->camera[3].toward, -1, 0, 0);
}

/* North through east: seen from +z, up turns from +y towards the left, which is -x. */
static void roll_turns_up_to_the_left(void **state)
{
    const lr_model *m = LOAD_CAMERA(*state, "{direction: +z, roll: 90 deg}, {direction: +z, roll: 30 deg}");
    assert_vector(m->camera[0].up, -1, 0, 0);
    assert_vector(m->camera[0].right, 0, 1, 0);
    assert_vector(m->camera[1].up, -0.5, 0.5 * sqrt(3.0), 0);
    assert_vector(m->camera[1].right, 0.5 * sqrt(3.0), 0.5, 0);
}

static void default_image_holds_the_mesh_in_square_pixels(void **state)
{
    const lr_model *m = LOAD_CAMERA(*state, "{direction: +z}, {direction: [1, 1, 0]}, {direction: +x, pixels: 10}, "
                                            "{direction: +z, centre: [0.5 pc, 0 pc, 0 pc], pixels: 30}");
    const struct camera *c = m->camera;
    assert_string_equal(c[0].name, "camera1");
    assert_int_equal(c[0].kind, CAMERA_ORTHOGRAPHIC);
    assert_true(c[0].pixels[0] == 128 && c[0].pixels[1] == 64 && c[0].rays == 0);
    assert_close(c[0].field[0], 2 * PC, 1e-14);
    assert_close(c[0].field[1], PC, 1e-14);
    assert_close(camera_pixel_size(&c[0]), 2 * PC / 128, 1e-14);
    /* Diagonally the mesh is (2 + 1) / sqrt(2) = 2.1213 pc wide and 1 pc high: 60.34 pixels, widened to 61. */
    assert_close(c[1].field[0], 3 / sqrt(2.0) * PC, 1e-14);
    assert_true(c[1].pixels[0] == 128 && c[1].pixels[1] == 61);
    assert_close(c[1].field[1], 61 * 3 / sqrt(2.0) / 128 * PC, 1e-14);
    assert_true(c[2].pixels[0] == 10 && c[2].pixels[1] == 10);
    /* 1.5 pc to the far side of an off-centre image: 3 x 1 pc. */
    assert_close(c[3].field[0], 3 * PC, 1e-14);
    assert_true(c[3].pixels[0] == 30 && c[3].pixels[1] == 10);
    assert_vector(c[3].centre, 0.5 * PC, 0, 0);
}

static void field_and_pixels_are_taken_as_written(void **state)
{
    const lr_model *m = LOAD_CAMERA(
        *state, "{direction: +z, field: 0.5 pc, pixels: 16, rays: 3}, {direction: +z, field: [1 pc, 2 pc]}, "
                "{direction: +z, pixels: [100, 100]}, {direction: +z, field: [3 pc, 1 pc], pixels: [9, 3]}");
    const struct camera *c = m->camera;
    assert_true(c[0].pixels[0] == 16 && c[0].pixels[1] == 16 && c[0].rays == 3);
    assert_true(c[1].pixels[0] == 64 && c[1].pixels[1] == 128);
    assert_close(c[1].field[1], 2 * PC, 1e-14);
    /* 2 x 1 pc in square pixels needs 2 x 2 pc. */
    assert_close(c[2].field[0], 2 * PC, 1e-14);
    assert_close(c[2].field[1], 2 * PC, 1e-14);
    assert_close(camera_pixel_size(&c[3]), PC / 3, 1e-14);
}

static void observers_nearby_look_at_the_centre(void **state)
{
    const lr_model *m =
        LOAD(*state, CHANNELS, "medium={b: 1 km/s, opacity: 1 1/pc}",
             "cameras=[{name: near, position: [0 pc, 0 pc, 2.5 pc]}, {name: tilted, position: [3 pc, 0 pc, 1 pc], "
             "centre: [0 pc, 0 pc, 1 pc], field: [60 deg, 30 deg], pixels: 60, roll: 180 deg}, {name: inside, "
             "position: [0.1 pc, 0 pc, 0 pc]}]");
    const struct camera *c = m->camera;
    assert_int_equal(c[0].kind, CAMERA_PERSPECTIVE);
    assert_vector(c[0].toward, 0, 0, 1);
    assert_close(c[0].position[2], 2.5 * PC, 1e-14);
    /* The near face is 2 pc away: 1 pc to the side is tan = 1/2, 0.5 pc is 1/4. */
    assert_close(c[0].field[0], 2 * atan(0.5), 1e-14);
    assert_close(c[0].field[1], 2 * atan(0.25), 1e-14);
    assert_true(c[0].pixels[0] == 128 && c[0].pixels[1] == 64);
    assert_close(camera_pixel_size(&c[0]), 1.0 / 128, 1e-14);
    assert_vector(c[1].toward, 1, 0, 0);
    assert_vector(c[1].up, 0, 0, -1);
    /* tan(15) / tan(30) of 60 pixels is 27.85, widened to 28. */
    assert_true(c[1].pixels[0] == 60 && c[1].pixels[1] == 28);
    assert_close(tan(0.5 * c[1].field[1]) / tan(30 * DEG), 28.0 / 60, 1e-14);
    assert_close(c[2].field[0], 90 * DEG, 1e-14);
    assert_close(c[2].field[1], 90 * DEG, 1e-14);
}

static bool sees(struct camera camera, const struct mesh *mesh, double x, double y, double z)
{
    double *place = camera.kind == CAMERA_PERSPECTIVE ? camera.position : camera.centre;
    place[0] = x * PC;
    place[1] = y * PC;
    place[2] = z * PC;
    return camera_meets_mesh(&camera, mesh);
}

static void a_field_beside_the_mesh_is_told_from_one_on_it(void **state)
{
    const lr_model *m = LOAD_CAMERA(*state, "{direction: [1, 1, 1], field: 0.02 pc}, {position: [0 pc, 0 pc, 9 pc], "
                                            "field: 2 deg}, {direction: +z, field: 0.2 pc, roll: 45 deg}");
    const struct mesh *mesh = &m->mesh;
    const struct camera *c = m->camera;
    /* Along the diagonal the mesh is a hexagon. [1, -0.5, z] is an edge of its outline, for z of -0.5 to 0.5. */
    assert_true(sees(c[0], mesh, 0.95, -0.45, 0.4));
    assert_true(sees(c[0], mesh, 1.0, -0.5, 0.0));
    assert_false(sees(c[0], mesh, 1.02, -0.52, 0.0));
    assert_false(sees(c[0], mesh, 1.0, -0.5, 0.6));
    /* A square standing on its corner reaches 0.1 sqrt(2) pc to the side, its sides only 0.1 pc towards the corner of
     * the mesh. */
    assert_true(sees(c[2], mesh, 1.14, 0, 5));
    assert_false(sees(c[2], mesh, 1.15, 0, 5));
    assert_true(sees(c[2], mesh, 1.06, 0.56, 0));
    assert_false(sees(c[2], mesh, 1.08, 0.58, 0));
    /* Looking down -z, one degree to each side: 8.5 pc away that is 0.1484 pc. */
    assert_true(sees(c[1], mesh, 1.14, 0, 9));
    assert_true(sees(c[1], mesh, 0, -0.64, 9));
    assert_true(sees(c[1], mesh, 0, 0, 0));
    assert_false(sees(c[1], mesh, 0, 0, -9));
    /* At the far face, 9.5 pc away, 0.1658 pc. */
    assert_true(sees(c[1], mesh, 1.16, 0, 9));
    assert_false(sees(c[1], mesh, 1.17, 0, 9));
}

static void channels_count_receding_velocities(void **state)
{
    const lr_model *m = LOAD(*state, "channels={number: 4, range: [3 km/s, -1 km/s]}", "cameras=[{direction: +x}]");
    assert_true(m->channels.n == 4 && m->channels.samples == 0);
    assert_close(m->channels.first, -1e5, 1e-14);
    assert_close(m->channels.width, 1e5, 1e-14);
    /* x = 2 is blue, i.e. approaching. */
    m = LOAD(*state, "channels={number: 1, range: [0, 2], samples: 16}", "output.reference_b=7 km/s",
             "cameras=[{direction: +x}]");
    assert_close(m->channels.first, -14e5, 1e-14);
    assert_close(m->channels.width, 14e5, 1e-14);
    assert_int_equal(m->channels.samples, 16);
    m = LOAD(*state, "channels={number: 1, range: [0, 2], samples: auto}", "cameras=[{direction: +x, rays: auto}]");
    assert_true(m->channels.samples == 0 && m->camera[0].rays == 0);
}

static void image_options_have_defaults_and_are_read(void **state)
{
    const struct image_options *i = &LOAD_CAMERA(*state, "{direction: +z}")->image;
    assert_true(i->method == IMAGE_TWO_STEP && i->unit == UNIT_KELVIN && i->background == 0.0 && !i->subtract);
    assert_true(i->step_velocity && i->step_source && i->spectrum);
    assert_true(!i->moments && !i->peak && !i->optical_depth && !i->errors && !i->emissivity);
    assert_true(i->beam[0] == 0.0 && i->distance == 0.0 && i->velocity == 0.0);
    i = &LOAD(*state, CHANNELS, "cameras=[{direction: +z}]",
              "image={unit: Jy/beam, distance: 1 kpc, beam: {major: 5 arcsec, minor: 4 arcsec, angle: 20 deg}, "
              "position: {ra: 83.8 deg, dec: -5.4 deg}, velocity: -5 km/s, background: cmb, subtract_background: true, "
              "moments: true, peak: true, spectrum: false, optical_depth: true, errors: true, emissivity: true, "
              "subcell: {velocity: false}}")
             ->image;
    assert_true(i->unit == UNIT_JY_PER_BEAM && i->subtract && i->moments && i->peak && !i->spectrum);
    assert_true(i->optical_depth && i->errors && i->emissivity && !i->step_velocity && i->step_source);
    assert_close(i->distance, 1000 * PC, 1e-14);
    assert_close(i->beam[0], 5 * ARCSEC, 1e-13);
    assert_close(i->beam[1], 4 * ARCSEC, 1e-13);
    assert_close(i->beam[2], 20 * DEG, 1e-14);
    assert_close(i->sky[0], 83.8 * DEG, 1e-14);
    assert_close(i->sky[1], -5.4 * DEG, 1e-14);
    assert_close(i->velocity, -5e5, 1e-14);
    assert_close(i->background, 2.725, 1e-14);
    i = &LOAD(*state, CHANNELS, "cameras=[{direction: +z}]",
              "image={method: peel-off, beam: 9 arcsec, distance: 1 kpc, background: 20 K, subcell: false}")
             ->image;
    assert_true(i->method == IMAGE_PEEL_OFF && !i->step_velocity && !i->step_source);
    assert_close(i->beam[1], 9 * ARCSEC, 1e-13);
    assert_close(i->background, 20, 1e-14);
    /* Pixels of a near camera are angles without a distance. */
    i = &LOAD(*state, CHANNELS, "cameras=[{position: [9 pc, 0 pc, 0 pc]}]", "image={unit: Jy/pixel}")->image;
    assert_int_equal(i->unit, UNIT_JY_PER_PIXEL);
}

static void images_need_no_packets(void **state)
{
    const lr_model *m = LOAD(*state, CHANNELS, "cameras=[{direction: +z}]", "run.packets=0");
    assert_true(m->run.packets == 0 && m->run.batches == 32);
}

/* ---- Mistakes ---- */

struct mistake {
    const char *camera, *message;
};

static void camera_mistakes(void **state)
{
    const struct mistake mistakes[] = {
        {"", "the list of cameras is empty"},
        {"{name: a}", "the direction to the observer is missing: give 'direction', or 'theta' and 'phi', or 'position' "
                      "for a nearby observer"},
        {"{phi: 3 deg}", "the direction to the observer is missing: give 'direction', or 'theta' and 'phi', or "
                         "'position' for a nearby observer"},
        {"{direction: up}", "0.direction: 'up' is not one of: +x, -x, +y, -y, +z, -z"},
        {"{direction: [0, 0, 0]}", "0.direction: a direction must not be zero"},
        {"{direction: +z, theta: 3 deg}", "0.theta: 'direction' is also given; remove one of them"},
        {"{theta: 200 deg}", "0.theta: '200 deg' must lie between 0 and 180 deg"},
        {"{theta: 30}", "0.theta: '30' has no unit; write for example '30 deg'"},
        {"{direction: +z, roll: 3 km}", "0.roll: '3 km' is not an angle; write for example '3 deg'"},
        {"{direction: +z, name: a/b}", "0.name: 'a/b' is used in file names; use 1 to 63 letters, digits, - and _"},
        {"{direction: +z, name: a_tau}",
         "0.name: 'a_tau' could be mistaken for a file of another camera; use another ending"},
        {"{direction: +z, name: camera2}, {direction: +x}",
         "1: the name 'camera2' is already used by camera 0; give each camera its own 'name'"},
        {"{direction: +z, pixels: 0}", "0.pixels: '0' must lie between 1 and 16384"},
        {"{direction: +z, pixels: [1, 2, 3]}", "0.pixels: expected one value or two [width, height], found 3"},
        {"{direction: +z, rays: 17}", "0.rays: '17' must lie between 1 and 16"},
        {"{direction: +z, field: -1 pc}", "0.field: '-1 pc' must be above zero"},
        {"{direction: +z, field: 3 deg}", "0.field: '3 deg' is not a length; write for example '3 pc'"},
        {"{direction: +z, field: [2 pc, 2 pc], pixels: [128, 64]}",
         "0.field: the pixels are not square: they are 0.5 times as wide as they are high; write field: [2 pc, 1 pc] "
         "for 128 x 64 pixels"},
        {"{direction: +z, field: 2 pc, pixels: [3, 4]}",
         "0.field: the pixels are not square: they are 1.333 times as wide as they are high; write field: [2 pc, "
         "2.66666667 pc] for 3 x 4 pixels"},
        {"{direction: +z, centre: [2 pc, 0 pc, 0 pc], field: 1 pc}",
         "0.field: the field of view does not meet the mesh; check 'centre', the direction and 'field'"},
        {"{position: [5 pc, 0 pc, 0 pc], centre: [9 pc, 0 pc, 0 pc]}",
         "0: the field of view does not meet the mesh; check 'centre', 'position' and 'field'"},
        {"{position: [0 pc, 0 pc, 0 pc]}", "0.position: 'position' and 'centre' are the same point; move one of them"},
        {"{position: [5 pc, 0 pc, 0 pc], phi: 3 deg}",
         "0.phi: a camera with a 'position' looks at its 'centre'; remove one of them"},
        {"{position: [5 pc, 0 pc, 0 pc], field: 180 deg}",
         "0.field: '180 deg' is too wide for a flat image; the maximum is 170 deg"},
        {"{position: [5 pc, 0 pc, 0 pc], field: 60 deg, pixels: [30, 20]}",
         "0.field: the pixels are not square: they are 0.6667 times as wide as they are high; write field: [60 deg, "
         "42.1034489 deg] for 30 x 20 pixels"},
        {"{direction: +z, centre: [1e300 pc, 1e300 pc, 0 pc]}",
         "0.centre.0: '1e300 pc' is not a finite number with a unit; write for example '1e300 pc'"},
        {"{direction: +z, filed: 1 pc}", "0.filed: unknown key; did you mean 'field'?"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char setting[256], message[512];
        const char *text = mistakes[i].message;
        bool in_list = text[0] >= '0' && text[0] <= '9';
        snprintf(setting, sizeof setting, "cameras=[%s]", mistakes[i].camera);
        if (in_list || mistakes[i].camera[0] == '{')
            snprintf(message, sizeof message, "--set cameras: cameras.%s%s", in_list ? "" : "0: ", text);
        else
            snprintf(message, sizeof message, "--set cameras: %s", text);
        const char *const settings[] = {CHANNELS, setting, NULL};
        assert_int_not_equal(load_text(*state, BASE, settings), LR_OK);
        assert_string_equal(lr_last_error(((struct fixture *)*state)->ctx), message);
    }
}

static void expect_with_camera(struct fixture *f, const char *setting, const char *message)
{
    const char *const settings[] = {CHANNELS, "cameras=[{direction: +z}]", setting, NULL};
    assert_int_not_equal(load_text(f, BASE, settings), LR_OK);
    assert_string_equal(lr_last_error(f->ctx), message);
}

static void sections_that_do_not_fit(void **state)
{
    const char *const mistakes[][2] = {
        {"channels={number: 0, range: [0, 1]}", "--set channels: channels.number: '0' must lie between 1 and 100000"},
        {"channels={number: 1e6, range: [0, 1]}",
         "--set channels: channels.number: '1e6' must lie between 1 and 100000"},
        {"channels={number: 3, range: [1 km/s, 1 km/s]}", "--set channels: channels.range: the range is empty"},
        {"channels={number: 3}", "--set channels: the key 'range' is missing"},
        {"channels.samples=65", "--set channels.samples: '65' must lie between 1 and 64"},
        {"mesh.faces={x-: reflecting}", "--set mesh.faces: cameras cannot be used with reflecting faces, which would "
                                        "show mirror images; make them open or periodic, or model the whole object"},
        {"mesh.faces=periodic",
         "--set mesh.faces: the mesh is periodic along all axes, so lines of sight never end; open one axis"},
        {"mesh.faces={y: periodic, z: periodic}", "--set cameras: cameras.0.direction: a line of sight in this "
                                                  "direction never leaves the periodic mesh; turn the camera"},
        {"image={unit: Jy}", "--set image: image.unit: 'Jy' is not one of: K, Jy/pixel, Jy/sr, Jy/beam, photon, "
                             "erg/s/cm^2/arcsec^2/Angstrom"},
        {"image={unit: Jy/pixel}", "--set image: image.unit: Jy/pixel needs 'distance', such as distance: 140 pc"},
        {"image={unit: Jy/beam}", "--set image: image.unit: Jy/beam needs 'beam', such as beam: 5 arcsec"},
        {"image={beam: 5 arcsec}", "--set image: image.beam: a beam needs 'distance', such as distance: 140 pc"},
        {"image={beam: 0 arcsec}", "--set image: image.beam: '0 arcsec' must be above zero"},
        {"image={beam: {major: 1 deg, minor: 2 deg}}",
         "--set image: image.beam.minor: '2 deg' is wider than the major axis '1 deg'"},
        /* 2 pc / 128 at 1 kpc: 1.5625e-5 rad. */
        {"image={beam: 3 arcsec, distance: 1 kpc}",
         "--set image: image.beam: the beam of 3 arcsec is smaller than a pixel of camera 'camera1', 3.223 arcsec; use "
         "more pixels or a smaller field"},
        {"image={distance: -1 pc}", "--set image: image.distance: '-1 pc' must be above zero"},
        {"image={position: {ra: 3 deg}}", "--set image: image.position: the key 'dec' is missing"},
        {"image={position: {ra: 3 deg, dec: 91 deg}}",
         "--set image: image.position.dec: '91 deg' must lie between -90 and 90 deg"},
        {"image={position: {ra: -3 deg, dec: 1 deg}}",
         "--set image: image.position.ra: '-3 deg' must lie between 0 and 360 deg"},
        {"image={velocity: 4e5 km/s}", "--set image: image.velocity: '4e5 km/s' is not below the speed of light"},
        {"image={background: black}",
         "--set image: image.background: 'black' is not a background; write none, cmb or a "
         "temperature such as '2.7 K'"},
        {"image={background: -3 K}", "--set image: image.background: '-3 K' is not a background; write none, cmb or a "
                                     "temperature such as '2.7 K'"},
        {"image={subcell: 3}", "--set image: image.subcell: '3' is not one of: false, true"},
        {"image={method: peel-off, emissivity: true}",
         "--set image: image.emissivity: 'peel-off' has no emissivity to store; use method: two-step"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        expect_with_camera(*state, mistakes[i][0], mistakes[i][1]);
    struct fixture *f = *state;
    expect_error(f, BASE, "cameras=[{direction: +z}]",
                 "--set cameras: the section 'channels' is missing; write for example channels: {number: 64, range: "
                 "[-5 km/s, 5 km/s]}");
    expect_error(f, BASE, CHANNELS, "--set channels: this needs a section 'cameras'; add one, or remove this");
    expect_error(f, BASE, "image={unit: K}", "--set image: this needs a section 'cameras'; add one, or remove this");
}

static void peel_off_is_for_far_cameras_and_the_cpu(void **state)
{
    struct fixture *f = *state;
    const char *const cuda[] = {CHANNELS, "cameras=[{direction: +z}]", "image.method=peel-off", "run.device=cuda:1",
                                NULL};
    assert_int_not_equal(load_text(f, BASE, cuda), LR_OK);
    assert_string_equal(lr_last_error(f->ctx), "--set image.method: 'peel-off' runs on the CPU only; use run.device: "
                                               "cpu, or method: two-step");
    const char *const near[] = {CHANNELS, "cameras=[{name: n, position: [5 pc, 0 pc, 0 pc]}]", "image.method=peel-off",
                                NULL};
    assert_int_not_equal(load_text(f, BASE, near), LR_OK);
    assert_string_equal(lr_last_error(f->ctx), "--set image.method: 'peel-off' does not support cameras with a "
                                               "position, such as 'n'; use method: two-step, or give a direction");
    const char *const dark[] = {CHANNELS, "cameras=[{direction: +z}]", "image.method=peel-off", "run.packets=0", NULL};
    assert_int_not_equal(load_text(f, BASE, dark), LR_OK);
    assert_string_equal(lr_last_error(f->ctx),
                        "--set image.method: 'peel-off' needs packets, but run.packets is 0; use method: two-step");
}

/* Cells of 0.5 pc: 61 1/pc is a depth of 30.5. */
static void an_observer_in_fog_is_an_error(void **state)
{
    struct fixture *f = *state;
    const char *const fog[] = {CHANNELS, "cameras=[{position: [0.75 pc, 0.1 pc, 0.1 pc]}]",
                               "medium={b: 1 km/s, opacity: 60 1/pc, absorption: 1 1/pc}", NULL};
    assert_int_not_equal(load_text(f, BASE, fog), LR_OK);
    assert_string_equal(lr_last_error(f->ctx),
                        "--set cameras: cameras.0.position: the observer would see only its own cell [3, 1, 1], whose "
                        "optical depth is 30.5 (limit 30); move it, or refine the mesh there");
    LOAD(f, CHANNELS, "cameras=[{position: [0.75 pc, 0.1 pc, 0.1 pc]}]", "medium={b: 1 km/s, opacity: 59 1/pc}");
}

static void too_many_cameras(void **state)
{
    static char setting[300 * 16] = "cameras=[";
    for (int i = 0; i <= MAX_CAMERA; i++)
        strcat(setting, i ? ",{theta: 0deg}" : "{theta: 0deg}");
    strcat(setting, "]");
    expect_error(*state, BASE, setting,
                 "--set cameras: the section 'channels' is missing; write for example channels: "
                 "{number: 64, range: [-5 km/s, 5 km/s]}");
    const char *const settings[] = {CHANNELS, setting, NULL};
    assert_int_not_equal(load_text(*state, BASE, settings), LR_OK);
    assert_string_equal(lr_last_error(((struct fixture *)*state)->ctx),
                        "--set cameras: 257 cameras are too many; the maximum is 256");
}

/* ---- Warnings ---- */

static void keep_warning(void *user, enum lr_log_level level, const char *message)
{
    if (level == LR_LOG_WARNING)
        snprintf(user, 512, "%s", message);
}

/* b is 12.845 km/s; gas moving at 100 km/s towards +x is seen from there at -100 -+ 38.5 km/s. */
static void channels_beside_the_line_are_warned_of(void **state)
{
    struct fixture *f = *state;
    char warning[512] = "";
    lr_context_on_log(f->ctx, keep_warning, warning);
    LOAD(f, "channels={number: 8, range: [-62 km/s, 0 km/s]}", "cameras=[{direction: +x}]",
         "medium.velocity=[100 km/s, 0 km/s, 0 km/s]");
    assert_string_equal(warning, "");
    LOAD(f, "channels={number: 8, range: [-61 km/s, 0 km/s]}", "cameras=[{direction: +x}]",
         "medium.velocity=[100 km/s, 0 km/s, 0 km/s]");
    assert_string_equal(warning, "--set channels: channels.range: the channels miss the line as seen by camera "
                                 "'camera1', at -138.5 to -61.46 km/s");
    /* Transparent cells do not count, unless they emit in the line. */
    warning[0] = '\0';
    LOAD(f, "channels={number: 8, range: [-5 km/s, 5 km/s]}", "cameras=[{direction: +x}]",
         "medium.velocity=[{default: 0 km/s, regions: [{slab: {axis: x, from: 0 pc, to: 9 pc}, value: 100 km/s}]}, "
         "0 km/s, 0 km/s]",
         "medium.density={default: 0 cm^-3, regions: [{slab: {axis: x, from: 0 pc, to: 9 pc}, value: 1 cm^-3}]}");
    assert_string_equal(warning, "--set channels: channels.range: the channels miss the line as seen by camera "
                                 "'camera1', at -138.5 to -61.46 km/s");
    warning[0] = '\0';
    LOAD(f, "channels={number: 8, range: [-5 km/s, 5 km/s]}", "cameras=[{direction: +x}]",
         "medium.velocity=[{default: 0 km/s, regions: [{slab: {axis: x, from: 0 pc, to: 9 pc}, value: 100 km/s}]}, "
         "0 km/s, 0 km/s]",
         "medium.density={default: 0 cm^-3, regions: [{slab: {axis: x, from: 0 pc, to: 9 pc}, value: 1 cm^-3}]}",
         "sources=[{volume: {}, spectrum: local, luminosity: 1 photon/s}]");
    assert_string_equal(warning, "");
}

/* ---- The resolved text, and reading it again ---- */

static void resolved_text_is_the_model_with_its_settings(void **state)
{
    struct fixture *f = *state;
    const lr_model *m = LOAD(f, CHANNELS, "cameras=[{direction: +z, name: top}]", "run.seed=7");
    char *resolved = strdup(m->resolved);
    const lr_model *again = load_ok(f, resolved, NULL);
    assert_int_equal(again->run.seed, 7);
    assert_string_equal(again->camera[0].name, "top");
    assert_string_equal(again->resolved, resolved);
    free(resolved);
}

static void imaging_sections_are_read_again_with_settings(void **state)
{
    struct fixture *f = *state;
    LOAD(f, CHANNELS, "cameras=[{direction: +z, name: top}]", "run.packets=0", "image.unit=photon");
    const lr_model *m = f->model;
    const struct observed seen = {.mesh = &m->mesh, .medium = &m->medium, .scale = shift_scale_of(m)};
    const char *const settings[] = {"cameras.0.field=0.5 pc", "channels.number=5", "image.moments=true",
                                    "run.device=cpu",         "run.threads=3",     "run.precision=double"};
    const struct stored_text text = {"r.h5", m->resolved, settings, 6};
    struct run run;
    struct observation found;
    assert_int_equal(read_stored_observation(f->ctx, &text, &seen, &run, &found), LR_OK);
    assert_int_equal(found.n_camera, 1);
    assert_string_equal(found.camera[0].name, "top");
    assert_close(found.camera[0].field[0], 0.5 * PC, 1e-14);
    assert_int_equal(found.channels.n, 5);
    assert_true(found.image.moments && found.image.unit == UNIT_PHOTON);
    assert_true(run.threads == 3 && run.precision == PRECISION_DOUBLE && run.packets == 0);
    assert_string_equal(run.device, "cpu");
    free(found.camera);
    const char *const others[] = {"medium.temperature=3 K", "run.seed=3", "run={device: cpu}", "imagery.a=1",
                                  "run.device.x=1"};
    for (int i = 0; i < 5; i++) {
        const struct stored_text other = {"r.h5", m->resolved, &others[i], 1};
        assert_int_equal(read_stored_observation(f->ctx, &other, &seen, &run, &found), LR_ERROR_INPUT);
        assert_non_null(
            strstr(lr_last_error(f->ctx), ": that needs a new run; 'linerad image' can change only cameras"));
    }
    const char *const wrong[] = {"cameras.0.field=0 pc"};
    const struct stored_text bad = {"r.h5", m->resolved, wrong, 1};
    assert_int_equal(read_stored_observation(f->ctx, &bad, &seen, &run, &found), LR_ERROR_INPUT);
    assert_string_equal(lr_last_error(f->ctx), "--set cameras.0.field: '0 pc' must be above zero");
    free(found.camera);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(up_is_z_or_y_and_right_completes_the_image),
        RUN(angles_give_the_direction),
        RUN(roll_turns_up_to_the_left),
        RUN(default_image_holds_the_mesh_in_square_pixels),
        RUN(field_and_pixels_are_taken_as_written),
        RUN(observers_nearby_look_at_the_centre),
        RUN(a_field_beside_the_mesh_is_told_from_one_on_it),
        RUN(channels_count_receding_velocities),
        RUN(image_options_have_defaults_and_are_read),
        RUN(images_need_no_packets),
        RUN(camera_mistakes),
        RUN(sections_that_do_not_fit),
        RUN(peel_off_is_for_far_cameras_and_the_cpu),
        RUN(an_observer_in_fog_is_an_error),
        RUN(too_many_cameras),
        RUN(channels_beside_the_line_are_warned_of),
        RUN(resolved_text_is_the_model_with_its_settings),
        RUN(imaging_sections_are_read_again_with_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
