/* The model report: what a user reads there is what the model holds. */
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
                                 "-1 to 1 pc (size 6.17136e+18 cm), cells of 0.5 pc, faces open and open",
                                 "faces periodic and periodic",
                                 "b           12.845 km/s everywhere",
                                 "x           tau_c 2256.8 (1128.4), tau_mean 4000 (2000), tau_abs 1 (0.5)",
                                 "about 1.81e+03 per packet: 1.6 tau_c for tau_c = 1128 out along x",
                                 "100000 packets on 1 CPU cores",
                                 "32 B per cell for the gas and 32 B for the fields",
                                 NULL};
    expect_parts(*state, parts);
}

static void thin_and_one_sided_models_scatter_by_their_depth(void **state)
{
    /* Only x+ is open, so photons cross all of x: twice the depth from the centre. */
    LOAD(*state, "medium={temperature: 1e4 K, tau_centre: 0.25}",
         "mesh.faces={x-: reflecting, y: periodic, z: reflecting}");
    const char *const parts[] = {"about 0.5 per packet: tau_c for tau_c = 0.5 out along x", NULL};
    expect_parts(*state, parts);
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
    const char *const parts[] = {
        "0           isotropic point at [0, 0, 0] pc, 1 photon/s (1.634e-11 erg/s), one frequency "
        "at x = 0 (0 km/s) in the frame of the mesh",
        "beam plane at y = 0 pc toward [0, -1, 0], 1 photon/s",
        "profile of the local gas",
        "uniform volume, ",
        "of sigma 0.0778",
        "isotropic field through the open faces",
        "flat from x = -2 to 2 in the frame of the mesh",
        "table of 2 from x = -3 to 3 in the frame of the gas",
        "complete redistribution, dipole phase function, no recoil, continuous absorption",
        "64 B per cell for the gas",
        NULL};
    expect_parts(*state, parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(report_states_depths_in_both_conventions),
        RUN(thin_and_one_sided_models_scatter_by_their_depth),
        RUN(every_kind_of_source_and_spectrum_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
