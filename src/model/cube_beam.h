/* An image as seen with a Gaussian beam.
 *
 * Convolution by fast Fourier transform: each channel is padded with enough empty sky to avoid wrap-around, and
 * multiplied by the transform of the Gaussian at the pixel centres, which is known exactly and conserves the sum. The
 * transforms are in single precision: a pixel is accurate to about 1e-7 of the brightest in its channel. */
#ifndef LR_MODEL_CUBE_BEAM_H
#define LR_MODEL_CUBE_BEAM_H

#include "base/context.h"
#include "model/camera.h"

struct beam_grid {
    int n_channel, n_y, n_x;
    double pixel[2]; /* rad along x and y */
    double beam[3];  /* rad: FWHM major, minor; position angle of the major axis from +y toward -x (north to east) */
};

/* For images of this camera, whose pixels must have angles. */
struct beam_grid cube_beam_grid(const struct camera *camera, int n_channel, const struct image_options *options);
/* Fails if the beam is too large for the image. */
enum lr_status cube_beam_check(lr_context *ctx, const struct beam_grid *grid);

/* values[n_channel][n_y][n_x], in place. */
enum lr_status cube_convolve(lr_context *ctx, const struct beam_grid *grid, float *values);
/* The same for standard errors, treating errors of different pixels as independent: sqrt(kernel^2 * error^2). */
enum lr_status cube_convolve_error(lr_context *ctx, const struct beam_grid *grid, float *errors);

#endif
