/* Units of intensity against their definitions, with numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdint.h>

#include "base/constants.h"
#include "model/cube_unit.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected)))
        fail_msg("%.12g is not %.12g", value, expected);
}

static const double line_1_0_of_co = 115.2712018e9; /* Hz */

static void a_kelvin_is_the_rayleigh_jeans_law(void **state)
{
    (void)state;
    /* 2 k nu^2 / c^2 for 1 K at 115.2712 GHz: 4.08238e-15 erg s^-1 cm^-2 Hz^-1 sr^-1 */
    assert_near(cube_unit_factor(UNIT_KELVIN, line_1_0_of_co, 0.0, 0.0), 1.0 / 4.08238e-15, 1e-5);
}

static void janskys_are_energy_per_area_and_frequency(void **state)
{
    (void)state;
    const double nu = 1e15;
    assert_near(cube_unit_factor(UNIT_JY_PER_SR, nu, 0.0, 0.0), 1e23, 1e-14);
    assert_near(cube_unit_factor(UNIT_JY_PER_PIXEL, nu, 2e-12, 0.0), 2e11, 1e-14);
    assert_near(cube_unit_factor(UNIT_JY_PER_BEAM, nu, 2e-12, 3e-11), 3e12, 1e-14);
}

static void a_photon_has_the_energy_of_the_line(void **state)
{
    (void)state;
    /* Lyman alpha: 1215.67 Angstrom, 1.63403e-11 erg */
    assert_near(cube_unit_factor(UNIT_PHOTON, LR_LIGHT_SPEED / 1215.67e-8, 0.0, 0.0), 1.0 / 1.63403e-11, 1e-5);
}

static void surface_brightness_is_per_arcsec2_and_angstrom(void **state)
{
    (void)state;
    /* Lyman alpha: 1e-8 c / lambda^2 = 2.028567e12 Hz per Angstrom, and 4.254517e10 arcsec^2 in a steradian */
    assert_near(cube_unit_factor(UNIT_SURFACE, LR_LIGHT_SPEED / 1215.67e-8, 0.0, 0.0), 2.028567e12 / 4.254517e10, 1e-6);
}

/* The factor used by observers: T = 1.222e6 S / (nu^2 major minor), with Jy/beam, GHz and arcsec. */
static void a_beam_agrees_with_the_factor_of_observers(void **state)
{
    (void)state;
    const double arcsec = LR_PI / 648000.0, beam[3] = {3.0 * arcsec, 2.0 * arcsec, 0.4};
    const double per_beam = cube_unit_factor(UNIT_JY_PER_BEAM, line_1_0_of_co, 0.0, cube_beam_solid_angle(beam));
    const double kelvin = cube_unit_factor(UNIT_KELVIN, line_1_0_of_co, 0.0, 0.0);
    assert_near(kelvin / per_beam, 1.222e6 / (115.2712018 * 115.2712018 * 3.0 * 2.0), 3e-4);
}

static void a_pixel_is_an_angle_when_there_is_a_distance(void **state)
{
    (void)state;
    const struct camera far = {.kind = CAMERA_ORTHOGRAPHIC, .field = {200.0, 100.0}, .pixels = {20, 10}};
    const struct camera near = {.kind = CAMERA_PERSPECTIVE, .field = {LR_PI / 2.0, 0.002}, .pixels = {100, 10}};
    assert_true(cube_pixel_angle(&far, 0.0, 0) == 0.0);
    assert_near(cube_pixel_angle(&far, 1e6, 0), 1e-5, 1e-14);
    assert_near(cube_pixel_angle(&far, 1e6, 1), 1e-5, 1e-14);
    assert_near(cube_pixel_angle(&near, 0.0, 0), 0.02, 1e-14); /* 2 tan(45 deg) / 100 */
    assert_near(cube_pixel_angle(&near, 1e6, 1), 0.0002, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kelvin_is_the_rayleigh_jeans_law),
        cmocka_unit_test(janskys_are_energy_per_area_and_frequency),
        cmocka_unit_test(a_photon_has_the_energy_of_the_line),
        cmocka_unit_test(surface_brightness_is_per_arcsec2_and_angstrom),
        cmocka_unit_test(a_beam_agrees_with_the_factor_of_observers),
        cmocka_unit_test(a_pixel_is_an_angle_when_there_is_a_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
