/* From traced intensities (erg s^-1 cm^-2 Hz^-1 sr^-1) to observers' units. */
#ifndef LR_MODEL_CUBE_UNIT_H
#define LR_MODEL_CUBE_UNIT_H

#include <stdbool.h>

#include "model/camera.h"

/* Angular size (rad) of a pixel at the image centre, to the right (0) or up (1). 0 for an orthographic camera without a
 * distance. Pixels are equally spaced on the image plane, as in the gnomonic projection of the sky (TAN). */
double cube_pixel_angle(const struct camera *camera, double distance, int axis);

/* sr of a Gaussian beam with these FWHM: pi major minor / (4 ln 2). */
double cube_beam_solid_angle(const double beam[3]);
/* Solid angle of each pixel of a PERSPECTIVE camera over that of the central one: cos^3 of its angle from the axis. */
void cube_pixel_weights(const struct camera *camera, float *weights);
bool cube_has_beam(const struct image_options *options);

/* The factor to multiply an intensity by. Kelvins are Rayleigh-Jeans brightness temperatures c^2 I / (2 k nu0^2),
 * photons have the energy h nu0, an interval of wavelength is c / nu0^2 times that of frequency; Jy/pixel and Jy/beam
 * need the solid angle of that pixel and beam. */
double cube_unit_factor(enum brightness_unit unit, double nu0, double pixel_sr, double beam_sr);

/* As written in FITS and astropy: "K", "Jy/beam"; and for an integral over velocity: "K km s-1". */
const char *cube_unit_name(enum brightness_unit unit);
const char *cube_unit_integral_name(enum brightness_unit unit);

#endif
