/* Good models: what the loader makes of each section, against numbers worked out by hand. */
#include "model_fixture.h"

#include "model/medium.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static void mesh_is_centred_unless_told_otherwise(void **state)
{
    const lr_model *m = LOAD(*state, "mesh.faces={x-: reflecting, y: periodic}");
    assert_int_equal(m->mesh.n[0], 4);
    assert_close(m->mesh.edge[0][0], -PC, 1e-15);
    assert_close(m->mesh.edge[0][3], 0.5 * PC, 1e-15);
    const enum face_rule faces[N_FACE] = {FACE_REFLECTING, FACE_OPEN, FACE_PERIODIC,
                                          FACE_PERIODIC,   FACE_OPEN, FACE_OPEN};
    assert_memory_equal(m->mesh.face, faces, sizeof faces);
    m = LOAD(*state, "mesh.origin=[0 pc, -1 pc, -1 pc]");
    assert_true(m->mesh.edge[0][0] == 0.0);
    assert_close(m->mesh.edge[0][4], 2 * PC, 1e-15);
}

static void mesh_takes_edges(void **state)
{
    const lr_model *m = LOAD(*state, "mesh={edges: {x: [-1 au, 1 au, 3 au], y: [-1 pc, 1 pc], z: [0 cm, 1 cm, 10 cm]}}",
                             "sources.0.point.position=[0 pc, 0 pc, 5 cm]");
    assert_int_equal(m->mesh.n[0], 2);
    assert_int_equal(m->mesh.n[1], 1);
    assert_close(m->mesh.edge[0][2], 3 * 1.495978707e13, 1e-15);
    assert_close(m->mesh.edge[2][2], 10.0, 1e-15);
}

/* b = sqrt(2 k T / m), sigma0 and a at 1e4 K worked out from CODATA and NIST numbers. */
static void density_and_temperature_give_opacity_b_and_damping(void **state)
{
    const lr_model *m = LOAD(*state, "run.seed=5");
    assert_null(m->medium.alpha0.values);
    assert_close(m->medium.b.constant, 1284516.006315938, 1e-12);
    assert_close(m->medium.a.constant, 4.718245060915123e-4, 1e-12);
    assert_close(m->medium.alpha0.constant, 1e-3 * 5.901036310302378e-14, 1e-12);
    assert_close(m->reference_b, m->medium.b.constant, 0.0);
    m = LOAD(*state, "medium.turbulence=10 km/s");
    assert_close(m->medium.b.constant, 1627876.3375888988, 1e-12);
    m = LOAD(*state, "medium={b: 20 km/s, opacity: 3 1/pc, damping: 0.1}");
    assert_close(m->medium.b.constant, 20e5, 1e-15);
    assert_close(m->medium.alpha0.constant, 3 / PC, 1e-15);
    assert_close(m->medium.a.constant, 0.1, 1e-15);
}

static void custom_line_is_used(void **state)
{
    const lr_model *m = LOAD(*state,
                             "line={frequency: 115.2712018 GHz, einstein_a: 7.203e-8 1/s, degeneracies: [1, 3], mass: "
                             "27.9949146 u}",
                             "medium.temperature=10 K", "medium.turbulence=1 km/s");
    assert_close(m->medium.b.constant, 100296.55929791123, 1e-12);
    assert_close(m->medium.alpha0.constant, 1e-3 * 8.508117604328635e-16, 1e-12);
    assert_close(m->medium.a.constant, 1.4863373728119143e-14, 1e-12);
    assert_close(m->line.dipole_core, 1.0, 1e-15);
    m = LOAD(*state, "line={frequency: 1 GHz, einstein_a: 1 1/s, degeneracies: [1, 1], mass: 1 u, gamma: 5 1/s, "
                     "dipole_core: 0.3}");
    assert_close(m->line.gamma, 5.0, 1e-15);
    assert_close(m->line.dipole_core, 0.3, 1e-15);
}

/* g_l n_u / (g_u n_l) = 2 * 1.5 / (6 * 1) = 1/2. */
static void upper_level_takes_stimulated_emission_off(void **state)
{
    const lr_model *m = LOAD(*state, "medium.density=1 cm^-3", "medium.upper_density=1.5 cm^-3");
    assert_close(m->medium.alpha0.constant, 0.5 * 5.901036310302378e-14, 1e-12);
}

static void depth_sets_or_scales_the_opacity(void **state)
{
    const lr_model *m = LOAD(*state, "medium={temperature: 1e4 K, tau_centre: 500, tau_absorption: 0.2}");
    assert_close(m->medium.alpha0.constant, 500 / PC, 1e-14);
    assert_close(m->medium.kappa.constant, 0.2 / PC, 1e-14);
    m = LOAD(*state, "medium={temperature: 1e4 K, tau_mean: 2000}");
    assert_close(m->medium.alpha0.constant, 2000 / sqrt(3.14159265358979323846) / PC, 1e-14);
    /* Twice as dense for x < 0, which is not on the ray to +x: 0.5 pc of 1 and 0.5 pc of 3, times 250. */
    m = LOAD(*state, "medium={temperature: 1e4 K, tau_centre: 500, opacity: {default: 2 1/pc, regions: ["
                     "{slab: {axis: x, from: 0 pc, to: 0.5 pc}, value: 1 1/pc},"
                     "{slab: {axis: x, from: 0.5 pc, to: 9 pc}, value: 3 1/pc}]}}");
    assert_close(m->medium.alpha0.values[0], 500 / PC, 1e-14);
    assert_close(m->medium.alpha0.values[8], 250 / PC, 1e-14);
    assert_close(m->medium.alpha0.values[15], 750 / PC, 1e-14);
    assert_close(medium_line_centre_depth(m, 0, true), 500, 1e-14);
    assert_close(medium_line_centre_depth(m, 0, false), 1000, 1e-14);
    /* Through the middle, between the cells of 2 and of 1: half of each over 1 pc. */
    assert_close(medium_line_centre_depth(m, 1, false), 0.5 * (500 + 250), 1e-14);
}

static void later_regions_win_and_cut_cells_mix(void **state)
{
    const lr_model *m =
        LOAD(*state, "medium.density={default: 1 cm^-3, regions: ["
                     "{slab: {axis: x, from: -1 pc, to: 0.25 pc}, value: 3 cm^-3},"
                     "{box: {min: [-1 pc, -1 pc, -1 pc], max: [-0.5 pc, 1 pc, 0 pc]}, value: 7 cm^-3}]}");
    const double sigma = 5.901036310302378e-14, *alpha = m->medium.alpha0.values;
    assert_close(alpha[0], 7 * sigma, 1e-12);  /* [0, 0, 0]: in the box */
    assert_close(alpha[1], 3 * sigma, 1e-12);  /* [0, 0, 1] */
    assert_close(alpha[4], 3 * sigma, 1e-12);  /* [1, 0, 0] */
    assert_close(alpha[8], 2 * sigma, 1e-12);  /* [2, 0, 0]: half inside the slab */
    assert_close(alpha[15], 1 * sigma, 1e-12); /* [3, 1, 1] */
    /* A temperature follows the cell centre: that of [2, 0, 0], at 0.25 pc, is outside. */
    m = LOAD(*state, "medium.temperature={default: 1e4 K, regions: ["
                     "{slab: {axis: x, from: -1 pc, to: 0.2 pc}, value: 4e4 K}]}");
    assert_close(m->medium.b.values[4], 2 * 1284516.006315938, 1e-12);
    assert_close(m->medium.b.values[8], 1284516.006315938, 1e-12);
    assert_close(m->medium.a.values[4], 4.718245060915123e-4 / 2, 1e-12);
    assert_close(m->medium.alpha0.values[4], 1e-3 * 5.901036310302378e-14 / 2, 1e-12);
}

/* Half the volume at b with opacity 1, half at 2 b with opacity 1/2: mean (1 + 1) / (1 + 1/2) = 4/3. */
static void reference_b_is_the_opacity_weighted_mean(void **state)
{
    const lr_model *m = LOAD(*state, "medium.temperature={default: 1e4 K, regions: ["
                                     "{slab: {axis: x, from: -1 pc, to: 0 pc}, value: 4e4 K}]}");
    assert_close(m->reference_b, 4.0 / 3.0 * 1284516.006315938, 1e-12);
    m = LOAD(*state, "output={reference_b: 7 km/s}");
    assert_close(m->reference_b, 7e5, 1e-15);
}

static void uniform_fields_stay_one_number(void **state)
{
    const lr_model *m =
        LOAD(*state,
             "medium.density={default: 1 cm^-3, regions: [{slab: {axis: z, from: -9 pc, to: 9 pc}, value: 2 cm^-3}]}",
             "medium.velocity=[1 km/s, -2 km/s, {default: 0 km/s, regions: []}]", "medium.destruction=1e-4");
    assert_null(m->medium.alpha0.values);
    assert_close(m->medium.alpha0.constant, 2 * 5.901036310302378e-14, 1e-12);
    assert_close(m->medium.velocity[1].constant, -2e5, 1e-15);
    assert_true(m->medium.velocity[2].constant == 0.0 && !m->medium.velocity[2].values);
    assert_close(m->medium.eps.constant, 1e-4, 1e-15);
}

/* Shifts are blue-positive cm/s: a receding velocity is red, a frequency above the line is blue. */
static void spectra_take_doppler_units_velocities_and_frequencies(void **state)
{
    const double b = 7e5, c = 2.99792458e10;
    const lr_model *m =
        LOAD(*state, "output={reference_b: 7 km/s, range: [3 km/s, 2]}", "sources.0.spectrum={monochromatic: -1.5}");
    assert_close(m->source[0].spectrum.centre, -1.5 * b, 1e-14);
    assert_false(m->source[0].spectrum.gas_frame);
    assert_close(m->output.range[0], -3e5, 1e-14);
    assert_close(m->output.range[1], 2 * b, 1e-14);
    m = LOAD(*state, "sources.0.spectrum={monochromatic: 30 km/s}");
    assert_close(m->source[0].spectrum.centre, -30e5, 1e-14);
    m = LOAD(*state, "sources.0.spectrum={monochromatic: 2.4661e15 Hz, frame: gas}");
    assert_close(m->source[0].spectrum.centre, c * (2.4661e15 / 2466067545792234.5 - 1), 1e-9);
    assert_true(m->source[0].spectrum.gas_frame);
    m = LOAD(*state, "sources.0.spectrum={gaussian: {centre: 1 km/s, fwhm: 2 km/s}}");
    assert_close(m->source[0].spectrum.centre, -1e5, 1e-14);
    assert_close(m->source[0].spectrum.width, 2e5 / 2.3548200450309493, 1e-14);
    m = LOAD(*state, "output={reference_b: 7 km/s}", "sources.0.spectrum={gaussian: {sigma: 0.5}}");
    assert_close(m->source[0].spectrum.width, 0.5 * b, 1e-14);
    m = LOAD(*state, "sources.0.spectrum={band: {from: -1 km/s, to: 5 km/s}}");
    assert_close(m->source[0].spectrum.centre, -2e5, 1e-14);
    assert_close(m->source[0].spectrum.width, 6e5, 1e-14);
    m = LOAD(*state, "sources.0.spectrum=local");
    assert_int_equal(m->source[0].spectrum.kind, SPECTRUM_LOCAL);
    assert_true(m->source[0].spectrum.gas_frame);
    m = LOAD(*state, "sources.0.spectrum={table: {shift: [-1 km/s, 0 km/s, 3 km/s], density: [1, 2, 0]}}");
    assert_int_equal(m->source[0].spectrum.n_table, 3);
    assert_close(m->source[0].spectrum.shift[0], -3e5, 1e-14);
    assert_close(m->source[0].spectrum.shift[2], 1e5, 1e-14);
    assert_true(m->source[0].spectrum.density[0] == 0.0 && m->source[0].spectrum.density[2] == 1.0);
}

static void strengths_become_photons_per_second(void **state)
{
    const double photon = 6.62607015e-27 * 2466067545792234.5, area = PC * PC; /* erg; cross-section y z */
    const lr_model *m = LOAD(*state, "sources.0.luminosity=1 erg/s");
    assert_close(m->source[0].luminosity, 1 / photon, 1e-12);
    m = LOAD(*state, "sources.0.luminosity=1 Lsun");
    assert_close(m->source[0].luminosity, 3.828e33 / photon, 1e-12);
    m = LOAD(*state, "sources=[{plane: {axis: x, at: 0 pc}, spectrum: local, flux: 3 photon/s/cm^2}]");
    assert_close(m->source[0].luminosity, 3 * area, 1e-12);
    assert_int_equal(m->source[0].angular, ANGULAR_ISOTROPIC);
    /* All faces of 2 x 1 x 1 pc: 2 (2 + 2 + 1) = 10 pc^2, times pi I. */
    m = LOAD(*state, "sources=[{external: {}, spectrum: {monochromatic: 0}, intensity: 2 photon/s/cm^2/sr}]");
    assert_close(m->source[0].luminosity, 3.14159265358979323846 * 2 * 10 * area, 1e-12);
    m = LOAD(*state, "mesh.faces={y: periodic, z: periodic}",
             "sources=[{external: , spectrum: {monochromatic: 0}, flux: 2 erg/s/cm^2}]");
    assert_close(m->source[0].luminosity, 2 * 2 * area / photon, 1e-12);
}

static void sources_of_every_kind_together(void **state)
{
    const lr_model *m = LOAD(*state,
                             "sources.1={plane: {axis: y, at: -0.5 pc, emission: lambertian, direction: +y}, spectrum: "
                             "local, luminosity: 1 photon/s}",
                             "sources.2={point: {position: [1 pc, 0 pc, 0 pc], emission: beam, direction: [0, 3, -4]}, "
                             "spectrum: local, luminosity: 1 photon/s}",
                             "sources.3={volume: {}, spectrum: {gaussian: {sigma: 1}}, luminosity: 1 photon/s}",
                             "sources.4={volume: {emissivity: {default: 0 W, regions: [{slab: {axis: x, from: 0 pc, "
                             "to: 1 pc}, value: 2 W}]}}, "
                             "spectrum: local, luminosity: 1 photon/s}");
    assert_int_equal(m->n_source, 5);
    assert_int_equal(m->source[1].angular, ANGULAR_LAMBERTIAN);
    assert_int_equal(m->source[1].axis, 1);
    assert_true(m->source[1].direction[1] == 1.0 && m->source[1].direction[0] == 0.0);
    assert_int_equal(m->source[2].angular, ANGULAR_BEAM);
    assert_close(m->source[2].direction[1], 0.6, 1e-15);
    assert_close(m->source[2].direction[2], -0.8, 1e-15);
    assert_true(m->source[3].spectrum.gas_frame);
    assert_null(m->source[3].emissivity.values);
    assert_true(m->source[4].emissivity.values[0] == 0.0 && m->source[4].emissivity.values[15] == 2.0);
}

static void options_have_defaults_and_are_read(void **state)
{
    const lr_model *m = load_ok(*state, BASE, NULL);
    assert_int_equal(m->run.packets, 100000);
    assert_int_equal(m->run.seed, 1);
    assert_int_equal(m->run.batches, 32);
    assert_string_equal(m->run.device, "auto");
    assert_int_equal(m->physics.redistribution, REDISTRIBUTION_EXACT);
    assert_true(m->output.fields && !m->output.packets && m->output.n_bin == 1000);
    assert_true(m->output.range[0] == m->output.range[1]);
    assert_true(m->output.n_mu == 1 && m->output.n_phi == 1);
    m = LOAD(
        *state, "physics={redistribution: table-constant, phase: dipole, recoil: true, absorption: analog}",
        "run={packets: 1e13, seed: 9223372036854775807, threads: 3, batches: 8, device: cuda:2, precision: double, "
        "scheduling: static}",
        "output={fields: false, packets: true, bins: 50, directions: {mu: 8, phi: 4, axis: x}}");
    assert_true(m->run.packets == 10000000000000 && m->run.seed == 9223372036854775807u);
    assert_true(m->run.threads == 3 && m->run.batches == 8);
    assert_string_equal(m->run.device, "cuda:2");
    assert_int_equal(m->run.precision, PRECISION_DOUBLE);
    assert_int_equal(m->run.scheduling, SCHEDULING_STATIC);
    assert_int_equal(m->physics.redistribution, REDISTRIBUTION_TABLE_CONSTANT);
    assert_true(m->physics.dipole && m->physics.recoil && m->physics.absorption == ABSORPTION_ANALOG);
    assert_true(!m->output.fields && m->output.packets && m->output.n_bin == 50);
    assert_true(m->output.n_mu == 8 && m->output.n_phi == 4 && m->output.axis == 0);
    m = LOAD(*state, "run.packets=3");
    assert_int_equal(m->run.batches, 3);
}

static void text_is_kept_with_the_settings(void **state)
{
    const lr_model *m = LOAD(*state, "run.seed=7", "medium.destruction=\n0.5");
    assert_int_equal(m->run.seed, 7);
    assert_memory_equal(m->text, BASE, sizeof BASE - 1);
    assert_string_equal(m->text + sizeof BASE - 1, "# --set run.seed=7\n# --set medium.destruction= 0.5\n");
    assert_string_equal(m->path, "m.yaml");
}

static void examples_load_and_have_their_depths(void **state)
{
    struct fixture *f = *state;
    const char *const names[] = {"neufeld_slab", "dusty_slab", "sphere", "box", "shells_lya"};
    /* the last: 0.00324 cm^-3 over a kpc, times sigma0 = sqrt(pi) e^2 f / (m c nu_D) */
    const double nu_doppler = 40e5 / 1.21567e-5, kpc = 3.0856775814913673e21;
    const double sigma = 1.7724538509055160 * 0.02654 * 0.41641 / (3.14159265358979 * nu_doppler);
    const double depth[] = {2000 / 1.7724538509055160, 1e5, 4000, 500, 0.00324 * kpc * sigma};
    const double tolerance[] = {1e-12, 1e-12, 1e-12, 1e-12, 1e-3};
    for (int i = 0; i < 5; i++) {
        char path[512];
        snprintf(path, sizeof path, LR_SOURCE_DIR "/examples/%s.yaml", names[i]);
        lr_model_free(f->model);
        f->model = NULL;
        if (lr_model_load(f->ctx, path, NULL, 0, &f->model) != LR_OK)
            fail_msg("%s", lr_last_error(f->ctx));
        assert_close(medium_line_centre_depth(f->model, 0, true), depth[i], tolerance[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(mesh_is_centred_unless_told_otherwise),
        RUN(mesh_takes_edges),
        RUN(density_and_temperature_give_opacity_b_and_damping),
        RUN(custom_line_is_used),
        RUN(upper_level_takes_stimulated_emission_off),
        RUN(depth_sets_or_scales_the_opacity),
        RUN(later_regions_win_and_cut_cells_mix),
        RUN(reference_b_is_the_opacity_weighted_mean),
        RUN(uniform_fields_stay_one_number),
        RUN(spectra_take_doppler_units_velocities_and_frequencies),
        RUN(strengths_become_photons_per_second),
        RUN(sources_of_every_kind_together),
        RUN(options_have_defaults_and_are_read),
        RUN(text_is_kept_with_the_settings),
        RUN(examples_load_and_have_their_depths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
