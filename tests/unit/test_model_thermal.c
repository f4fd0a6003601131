/* The thermal source: the Planck function against numbers computed outside linerad, and its errors. */
#include "model_fixture.h"

#include "model/line.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

/* CO 1-0 at 20 K, with CODATA 2018 and the frequency of CDMS: h nu0 / k T = 0.276607258398625. */
static const double PLANCK = 356.79489633684074;        /* (2 nu0^2 / c^2) (nu0 / c) / (exp(h nu0 / k T) - 1) */
static const double EMISSIVITY = 3.863172916670436e-10; /* 4 pi^1.5 * 0.5 * (3 / pc) * 1 km/s * PLANCK */

static void collisions_emit_the_planck_function(void **state)
{
    const char *const co = "line=co10";
    const lr_model *m = LOAD(*state, co, "medium={b: 1 km/s, opacity: 3 1/pc, destruction: 0.5}",
                             "sources=[{thermal: {temperature: 20 K}}]");
    const struct source *s = &m->source[0];
    assert_true(s->kind == SOURCE_VOLUME && s->spectrum.kind == SPECTRUM_LOCAL && s->spectrum.gas_frame);
    assert_null(s->emissivity.values);
    assert_close(line_planck(&m->line, 20), PLANCK, 1e-10);
    assert_close(s->emissivity.constant, EMISSIVITY, 1e-10);
    assert_close(s->luminosity, EMISSIVITY * 2 * PC * PC * PC, 1e-10);
    /* The temperature of the medium, which cannot be recovered from b; cells at zero emit nothing. */
    m = LOAD(*state, co,
             "medium={temperature: {default: 0 K, regions: [{slab: {axis: x, from: -1 pc, to: 0 pc}, value: 20 K}]}, "
             "turbulence: 1 km/s, opacity: 3 1/pc, destruction: 0.5}",
             "sources=[{thermal: }]");
    const double b = sqrt(1e10 + 2 * 1.380649e-16 * 20 / m->line.mass);
    s = &m->source[0];
    assert_close(s->emissivity.values[0], EMISSIVITY * b / 1e5, 1e-10);
    assert_true(s->emissivity.values[15] == 0.0);
    assert_close(s->luminosity, EMISSIVITY * b / 1e5 * PC * PC * PC, 1e-10);
}

static void thermal_mistakes(void **state)
{
    struct fixture *f = *state;
    expect_error(f, BASE, "sources=[{thermal: {}}]",
                 "--set sources: sources.0.thermal: collisions that create photons also destroy them: "
                 "'medium.destruction' must be above zero somewhere");
    const char *const cases[][2] = {
        {"sources=[{thermal: {}}]", "--set sources: sources.0.thermal: the gas has no temperature; write for example "
                                    "thermal: {temperature: 20 K}"},
        {"sources=[{thermal: {temperature: 20 K}, spectrum: local}]",
         "--set sources: sources.0.spectrum: the gas already sets this"},
        {"sources=[{thermal: {temperature: 20 K}, luminosity: 1 photon/s}]",
         "--set sources: sources.0.luminosity: the gas already sets this"},
        {"sources=[{thermal: {temperature: -20 K}}]",
         "--set sources: sources.0.thermal.temperature: '-20 K' is negative"},
        {"sources=[{thermal: {temperature: 0 K}}]",
         "--set sources: the sources emit nothing: the total luminosity is 0 photon/s"},
        {"sources=[{thermal: {temp: 20 K}}]",
         "--set sources: sources.0.thermal.temp: unknown key; valid here: temperature"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const settings[] = {"medium={b: 1 km/s, opacity: 3 1/pc, destruction: 0.5}", cases[i][0], NULL};
        assert_int_not_equal(load_text(f, BASE, settings), LR_OK);
        assert_string_equal(lr_last_error(f->ctx), cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(collisions_emit_the_planck_function),
        RUN(thermal_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
