/* The model report: what a user reads there is what the model contains. */
#include "model_fixture.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static void expect_parts(struct fixture *f, const char *const *parts)
{
    char *text = NULL;
    assert_int_equal(lr_model_report(f->ctx, f->model, &text), LR_OK);
    for (; *parts; parts++)
        if (!strstr(text, *parts))
            fail_msg("'%s' is not in:\n%s", *parts, text);
    free(text);
}

static void report_states_depths_in_both_conventions(void **state)
{
    LOAD(*state, "medium={temperature: 1e4 K, tau_mean: 2000, tau_absorption: 0.5}",
         "mesh.faces={y: periodic, z: periodic}", "run.threads=1");
    const char *const parts[] = {"4 x 2 x 2 = 16 cells",
                                 "-1 to 1 pc (size 6.17136e+18 cm), cells of 0.5 pc, both faces open",
                                 "both faces periodic",
                                 "b           12.845 km/s everywhere",
                                 "x           tau_c 2256.8 (1128.4), tau_mean 4000 (2000), tau_abs 1 (0.5)",
                                 "scatterings   about ",
                                 " on cpu (1 thread, ",
                                 " for 100000 packets",
                                 "32 B per cell for the gas and 32 B for the fields",
                                 NULL};
    expect_parts(*state, parts);
}

/* In thin gas a packet scatters as often as the depth on its way out, here one to a few thousandths. */
static void scatterings_are_measured(void **state)
{
    char *text = NULL;
    double scatterings = 0;
    struct fixture *f = *state;
    LOAD(f, "medium={temperature: 1e4 K, tau_centre: 1e-3}", "run={packets: 100000, device: cpu}");
    assert_int_equal(lr_model_report(f->ctx, f->model, &text), LR_OK);
    const char *line = strstr(text, "\nscatterings   about ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "\nscatterings about %lf per packet", &scatterings), 1);
    assert_true(scatterings > 2e-4 && scatterings < 4e-3);
    free(text);
}

static void every_kind_of_source_and_spectrum_is_described(void **state)
{
    LOAD(*state,
         "sources.1={plane: {axis: y, at: 0 pc, emission: beam, direction: -y}, spectrum: local, luminosity: 1 "
         "photon/s}",
         "sources.2={volume: {}, spectrum: {gaussian: {sigma: 1 km/s}}, luminosity: 1 photon/s}",
         "sources.3={external: {}, spectrum: {band: {from: -2, to: 2}}, luminosity: 1 photon/s}",
         "sources.4={volume: {}, spectrum: {table: {shift: [-3, 3], density: [1, 1]}}, luminosity: 1 photon/s}",
         "physics={redistribution: complete, phase: dipole}", "run.precision=double", "output.fields=false");
    const char *const parts[] = {"0           isotropic point at [0, 0, 0] pc, 1 photon/s (1.634e-11 erg/s), "
                                 "monochromatic at x = 0 (0 km/s) in the frame of the mesh",
                                 "beam plane at y = 0 pc toward [0, -1, 0], 1 photon/s",
                                 "profile of the local gas",
                                 "uniform volume, ",
                                 "with sigma 0.0778",
                                 "isotropic field through the open faces",
                                 "flat from x = -2 to 2 in the frame of the mesh",
                                 "table of 2 values from x = -3 to 3 in the frame of the gas",
                                 "complete redistribution, dipole phase function, no recoil, continuous absorption",
                                 "64 B per cell for the gas",
                                 NULL};
    expect_parts(*state, parts);
}

static void output_and_run_are_stated(void **state)
{
    LOAD(*state, "sources.1={volume: {}, spectrum: local, luminosity: 3 photon/s}",
         "output={range: [-20, 30], bins: 50, directions: {mu: 8, phi: 4, axis: x}, packets: true}",
         "run={packets: 1000, seed: 7, device: cpu, scheduling: static}");
    const char *const parts[] = {
        "spectrum of 50 bins over x = -20 to 30, in 8 x 4 directions about x, fields per cell, list of packets",
        "run           1000 packets (250, 750 from sources 0, 1, ...), seed 7, 32 batches, device cpu, mixed "
        "precision, packets dealt out in advance",
        NULL};
    expect_parts(*state, parts);
}

/* 2 pc in 128 pixels at 1 kpc: 1.5625e-5 rad or 3.223 arcsec. 16 cells, 64 channels, 2 cameras, 4 bytes, 8 groups. */
static void images_are_described_with_their_cost(void **state)
{
    LOAD(
        *state, "channels={number: 64, range: [-32 km/s, 32 km/s], samples: 2}",
        "cameras=[{name: top, direction: +z, rays: 4}, {name: near, position: [0 pc, 0 pc, 2.5 pc]}]",
        "image={unit: Jy/beam, beam: {major: 30 arcmin, minor: 28 arcmin, angle: 20 deg}, distance: 1 kpc, background: "
        "cmb, subtract_background: true, errors: true}");
    const char *const parts[] = {
        "images        64 channels of 1 km/s (0.0779 b) from -32 to 32 km/s, receding positive, 2 frequencies in each",
        "  top         toward [0, 0, 1], up [0, 1, 0], centre [0, 0, 0] pc\n",
        "              field 2 x 1 pc, 128 x 64 pixels of 0.01562 pc = 3.223 arcsec, 4 x 4 rays in each\n",
        "  near        at [0, 0, 2.5] pc, up [0, 1, 0], centre [0, 0, 0] pc\n",
        "              field 53.13 x 28.072 deg, 128 x 64 pixels of 1611 arcsec, automatic number of rays\n",
        "  unit        Jy/beam, beam 1800 x 1680 arcsec at 20 deg, distance 1000 pc, background 2.725 K subtracted",
        "  memory      emissivity 0.0625 MiB: 4 B per cell, channel and camera, in 8 groups for errors; cubes 8 MiB",
        NULL};
    expect_parts(*state, parts);
}

static void keep_warning(void *user, enum lr_log_level level, const char *message)
{
    if (level == LR_LOG_WARNING)
        snprintf(user, 512, "%s", message);
}

/* b is 12.8452 km/s: a step of (12, 9) km/s is 15 km/s or 1.168 b. */
static void velocity_steps_beyond_b_are_warned_of(void **state)
{
    struct fixture *f = *state;
    const char *const none[] = {NULL};
    char warning[512] = "";
    lr_context_on_log(f->ctx, keep_warning, warning);
    LOAD(f, "medium.velocity=[{default: 0 km/s, regions: [{slab: {axis: x, from: 0.5 pc, to: 1 pc}, value: 12 km/s}]}, "
            "0 km/s, 0 km/s]");
    expect_parts(f, none);
    assert_string_equal(warning, "");
    LOAD(f, "medium.velocity=[{default: 0 km/s, regions: [{slab: {axis: x, from: 0.5 pc, to: 1 pc}, value: 12 km/s}]}, "
            "{default: 0 km/s, regions: [{slab: {axis: x, from: 0.5 pc, to: 1 pc}, value: -9 km/s}]}, 0 km/s]");
    expect_parts(f, none);
    /* 4 of the 12 + 8 + 8 faces inside the mesh */
    assert_string_equal(warning, "the velocity changes by more than b between 14 % of neighbouring cells, by up to "
                                 "1.17 b along x after cell [2, 0, 0]: photons can pass from one to the other without "
                                 "meeting the line; use smaller cells or more turbulence");
}

/* From every shell to the next one: 1 km/s x 100 / 4. */
static void steps_everywhere_are_a_hundred_per_cent(void **state)
{
    struct fixture *f = *state;
    const char *const none[] = {NULL};
    char warning[512] = "";
    lr_context_on_log(f->ctx, keep_warning, warning);
    LOAD(f, "mesh={shells: 4, outer: 1 pc}", "medium.velocity={formula: '100 km/s * r / 1 pc'}");
    expect_parts(f, none);
    assert_non_null(strstr(warning, "between 100 % of neighbouring shells"));
}

static const char STEP[] = "medium.velocity=[{default: 0 km/s, regions: [{slab: {axis: x, from: 0.5 pc, to: 1 pc}, "
                           "value: 30 km/s}]}, 0 km/s, 0 km/s]";

/* Without packets only rays encounter the steps, and their effect depends on image.subcell. */
static void velocity_steps_of_images_are_told_apart(void **state)
{
    struct fixture *f = *state;
    const char *const none[] = {NULL};
    char warning[512] = "";
    lr_context_on_log(f->ctx, keep_warning, warning);
    LOAD(f, STEP, "channels={number: 4, range: [-32 km/s, 32 km/s]}", "cameras=[{name: top, direction: +z}]",
         "run.packets=0", "medium.destruction=1");
    expect_parts(f, none);
    assert_non_null(strstr(warning, "[2, 0, 0]: images interpolate between them in steps of b/4 (image.subcell)"));
    LOAD(f, STEP, "channels={number: 4, range: [-32 km/s, 32 km/s]}", "cameras=[{name: top, direction: +z}]",
         "image.subcell=false", "run.packets=0", "medium.destruction=1");
    expect_parts(f, none);
    assert_non_null(strstr(warning, "[2, 0, 0]: rays can jump over the line between the two"));
}

/* With bricks of 2 x 2 x 2 cells the step is between two bricks, the second of which is refined: 30 / 12.8452 b. The
 * one brick of level 0 has 12 inner faces, as has each of the 8 others, and between these there are 4 at each of 12
 * places; across the step there are 16 quarters of the 4 faces of the larger cells. */
static void velocity_steps_between_bricks_are_found(void **state)
{
    struct fixture *f = *state;
    const char *const none[] = {NULL};
    char warning[512] = "", share[160];
    lr_context_on_log(f->ctx, keep_warning, warning);
    LOAD(f, "mesh.brick=2", "mesh.refine=[{slab: {axis: x, from: 0.1 pc, to: 0.9 pc}, levels: 1}]",
         "medium.velocity=[{default: 0 km/s, regions: [{slab: {axis: x, from: 0 pc, to: 1 pc}, value: 30 km/s}]}, 0 "
         "km/s, 0 km/s]");
    expect_parts(f, none);
    snprintf(share, sizeof share, "between %.2g %% of neighbouring cells, by up to 2.34 b along x after cell [0, 1,",
             100.0 * 4 / (12 + 8 * 12 + 12 * 4 + 4));
    if (!strstr(warning, share))
        fail_msg("'%s' is not in: %s", share, warning);
}

/* 21 cm at 100 K: h nu / k T = x = 6.8169e-4, for which 1 / (1 - exp(-x)) = 1467.4. */
static void missing_stimulated_emission_is_warned_of(void **state)
{
    struct fixture *f = *state;
    char warning[512] = "";
    lr_context_on_log(f->ctx, keep_warning, warning);
    LOAD(f, "line=hi21", "medium={temperature: 100 K, density: 1 cm^-3}");
    assert_string_equal(warning,
                        "--set medium: medium.density: without 'upper_density' there is no stimulated emission; in LTE "
                        "at 100 K the opacity would be 1467 times lower, 1 / (1 - exp(-h nu / k T))");
    warning[0] = '\0';
    LOAD(f, "line=hi21", "medium={temperature: 100 K, density: 1 cm^-3, upper_density: 2.9 cm^-3}");
    LOAD(f, "line=hi21", "medium={temperature: 100 K, density: 1 cm^-3, tau_mean: 3}");
    LOAD(f, "line=hi21", "medium={b: 1 km/s, density: 1 cm^-3}");
    load_ok(f, BASE, NULL);
    assert_string_equal(warning, "");
}

/* 2 pc3 of 1e4 H2 per cm3 with 1e-4 CO each: 1e4 * 2.8 u * 2 pc3 = 1373.99 Msun of gas. */
static void inventory_adds_up(void **state)
{
    LOAD(*state, "line={molecule: co}", "medium={temperature: 20 K, colliders: {H2: 1e4 cm^-3}, abundance: 1e-4}",
         "sources=[{gas: {}}]", "run={packets: 0}");
    const char *const parts[] = {"inventory     2 pc3 (5.876e+55 cm3)",
                                 "gas         1373.99 Msun: 5.876e+59 H2 molecules, 2.8 u of gas each",
                                 "CO          1.37374 Msun: 5.876e+55 molecules",
                                 "temperature 20 K, mean over mass",
                                 "N(H2)       x: mean 6.1714e+22, maximum 6.1714e+22; y: mean 3.0857e+22, maximum "
                                 "3.0857e+22; z: mean 3.0857e+22, maximum 3.0857e+22 1/cm2",
                                 NULL};
    expect_parts(*state, parts);
    /* Two of the 16 cells, 0.5 pc each, are four times as dense and twice as hot: the mass-weighted mean differs from
     * the volume-weighted one, and the densest column along x goes through them. */
    LOAD(*state, "line={molecule: co}",
         "medium={temperature: {default: 10 K, regions: [{box: {min: [-1 pc, -0.5 pc, -0.5 pc], max: [0 pc, 0 pc, 0 "
         "pc]}, "
         "value: 20 K}]}, density: {default: 1 cm^-3, regions: [{box: {min: [-1 pc, -0.5 pc, -0.5 pc], max: [0 pc, 0 "
         "pc, 0 pc]}, value: 4 cm^-3}]}}",
         "sources=[{gas: {}}]", "run={packets: 0}");
    /* (14 * 10 + 8 * 20) / 22 K; a mean of 22 / 16 over 2 pc; and 1 pc each of 1 and 4 cm^-3 */
    const char *const uneven[] = {"temperature 13.636 K, mean over molecules",
                                  "N(CO)       x: mean 8.4856e+18, maximum 1.5428e+19;", NULL};
    expect_parts(*state, uneven);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(inventory_adds_up),
        RUN(report_states_depths_in_both_conventions),
        RUN(scatterings_are_measured),
        RUN(every_kind_of_source_and_spectrum_is_described),
        RUN(output_and_run_are_stated),
        RUN(images_are_described_with_their_cost),
        RUN(velocity_steps_beyond_b_are_warned_of),
        RUN(steps_everywhere_are_a_hundred_per_cent),
        RUN(velocity_steps_of_images_are_told_apart),
        RUN(velocity_steps_between_bricks_are_found),
        RUN(missing_stimulated_emission_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
