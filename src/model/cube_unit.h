/* From traced intensities (erg s^-1 cm^-2 Hz^-1 sr^-1) to the units that observers use. */
#ifndef LR_MODEL_CUBE_UNIT_H
#define LR_MODEL_CUBE_UNIT_H

#include <stdbool.h>

#include "model/camera.h"

/* rad that a pixel in the middle of the image spans along right (0) or up (1). An orthographic camera has none without
 * a distance: 0. Pixels are even steps on the plane of the image, as in the gnomonic projection of the sky (TAN). */
double cube_pixel_angle(const struct camera *camera, double distance, int axis);

/* sr of a Gaussian beam with these FWHM: pi major minor / (4 ln 2). */
double cube_beam_solid_angle(const double beam[3]);
/* Solid angle of each pixel of a PERSPECTIVE camera over that of one in the middle: cos^3 of its angle from the axis.
 */
void cube_pixel_weights(const struct camera *camera, float *weights);
bool cube_has_beam(const struct image_options *options);

/* What to multiply an intensity with. Kelvins are Rayleigh-Jeans brightness temperatures c^2 I / (2 k nu0^2), photons
 * have the energy h nu0; Jy/pixel and Jy/beam need the solid angle of that pixel and beam. */
double cube_unit_factor(enum brightness_unit unit, double nu0, double pixel_sr, double beam_sr);

/* As FITS and astropy write it: "K", "Jy/beam"; and of an integral over velocity: "K km s-1". */
const char *cube_unit_name(enum brightness_unit unit);
const char *cube_unit_integral_name(enum brightness_unit unit);

#endif
