/* Destruction by collisions with a critical density: its closed form, and the inputs it requires. */
#include "model_fixture.h"

#include <unistd.h>

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static const char LINE[] = "line={molecule: co, levels: 2}";
static const char GIVEN[] = "populations={method: given, file: test_destruction.h5, dataset: x}";

/* Two levels of 4 x 2 x 2 cells, half of the molecules in each. */
static void write_populations(void)
{
    const hsize_t shape[4] = {4, 2, 2, 2};
    double x[32];
    for (int i = 0; i < 32; i++)
        x[i] = 0.5;
    write_dataset("test_destruction.h5", true, "x", H5T_IEEE_F64LE, 4, shape, x, NULL);
}

/* h nu / k of CO 1-0 is 5.53214 K (CDMS: 115.2712018 GHz): at 20 K y = n / n_c * 0.2416449. */
static void follows_the_critical_density(void **state)
{
    struct fixture *f = *state;
    write_populations();
    const lr_model *m = LOAD(f, LINE, GIVEN,
                             "medium={temperature: 20 K, b: 1 km/s, density: 1 cm^-3, colliders: {H2: 1000 cm^-3}, "
                             "destruction: {critical_density: 2000 cm^-3}}");
    const double y = 0.5 * (1 - exp(-6.62607015e-27 * 115.2712018e9 / (1.380649e-16 * 20)));
    assert_close(m->medium.eps.constant, y / (1 + y), 1e-7);
    unlink("test_destruction.h5");
}

static void needs_a_temperature(void **state)
{
    struct fixture *f = *state;
    const char *const settings[] = {LINE, GIVEN,
                                    "medium={b: 1 km/s, density: 1 cm^-3, colliders: {H2: 1000 cm^-3}, destruction: "
                                    "{critical_density: 2000 cm^-3}}",
                                    NULL};
    write_populations();
    assert_int_not_equal(load_text(f, BASE, settings), LR_OK);
    assert_string_equal(lr_last_error(f->ctx),
                        "--set medium: medium.destruction.critical_density: this needs the temperature of the gas: "
                        "'temperature' of the medium or of a snapshot");
    unlink("test_destruction.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(follows_the_critical_density), RUN(needs_a_temperature)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
