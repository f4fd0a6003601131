#include "model/cube_unit.h"

#include <math.h>

#include "base/constants.h"

static const double jansky = 1e-23;              /* erg s^-1 cm^-2 Hz^-1 */
static const double angstrom = 1e-8;             /* cm */
static const double arcsec = LR_PI / 180 / 3600; /* rad */

double cube_pixel_angle(const struct camera *camera, double distance, int axis)
{
    const double n = camera->pixels[axis];
    if (camera->kind == CAMERA_PERSPECTIVE)
        return 2.0 * tan(0.5 * camera->field[axis]) / n;
    return distance > 0.0 ? camera->field[axis] / n / distance : 0.0;
}

void cube_pixel_weights(const struct camera *camera, float *weights)
{
    const int *n = camera->pixels;
    const double step = cube_pixel_angle(camera, 0.0, 0);
    for (int y = 0; y < n[1]; y++)
        for (int x = 0; x < n[0]; x++) {
            const double u = (x + 0.5 - 0.5 * n[0]) * step, v = (y + 0.5 - 0.5 * n[1]) * step;
            weights[(size_t)y * (size_t)n[0] + (size_t)x] = (float)pow(1.0 + u * u + v * v, -1.5);
        }
}

bool cube_has_beam(const struct image_options *options)
{
    return options->beam[0] > 0.0;
}

double cube_beam_solid_angle(const double beam[3])
{
    return LR_PI * beam[0] * beam[1] / (4.0 * log(2.0));
}

double cube_unit_factor(enum brightness_unit unit, double nu0, double pixel_sr, double beam_sr)
{
    switch (unit) {
    case UNIT_KELVIN:
        return LR_LIGHT_SPEED * LR_LIGHT_SPEED / (2.0 * LR_BOLTZMANN * nu0 * nu0);
    case UNIT_JY_PER_PIXEL:
        return pixel_sr / jansky;
    case UNIT_JY_PER_BEAM:
        return beam_sr / jansky;
    case UNIT_PHOTON:
        return 1.0 / (LR_PLANCK * nu0);
    case UNIT_SURFACE:
        return nu0 * nu0 / LR_LIGHT_SPEED * angstrom * arcsec * arcsec;
    case UNIT_JY_PER_SR:
        break;
    }
    return 1.0 / jansky;
}

const char *cube_unit_name(enum brightness_unit unit)
{
    static const char *const name[] = {[UNIT_KELVIN] = "K",
                                       [UNIT_JY_PER_PIXEL] = "Jy/pixel",
                                       [UNIT_JY_PER_SR] = "Jy/sr",
                                       [UNIT_JY_PER_BEAM] = "Jy/beam",
                                       [UNIT_PHOTON] = "photon s-1 cm-2 sr-1 Hz-1",
                                       [UNIT_SURFACE] = "erg s-1 cm-2 arcsec-2 Angstrom-1"};
    return name[unit];
}

/* Exponents throughout: a second solidus would be ambiguous. */
const char *cube_unit_integral_name(enum brightness_unit unit)
{
    static const char *const name[] = {[UNIT_KELVIN] = "K km s-1",
                                       [UNIT_JY_PER_PIXEL] = "Jy pixel-1 km s-1",
                                       [UNIT_JY_PER_SR] = "Jy sr-1 km s-1",
                                       [UNIT_JY_PER_BEAM] = "Jy beam-1 km s-1",
                                       [UNIT_PHOTON] = "photon s-1 cm-2 sr-1 Hz-1 km s-1",
                                       [UNIT_SURFACE] = "erg s-1 cm-2 arcsec-2 Angstrom-1 km s-1"};
    return name[unit];
}
