/* An image as a telescope with a Gaussian beam would see it.
 *
 * Convolution by fast Fourier transform: each channel is padded by enough empty sky that nothing comes back at the
 * other side, and multiplied with the transform of the Gaussian at the pixel centres, which is known exactly and keeps
 * the sum. The transforms are in single precision: a pixel is right to about 1e-7 of the brightest of its channel. */
#ifndef LR_MODEL_CUBE_BEAM_H
#define LR_MODEL_CUBE_BEAM_H

#include "base/context.h"
#include "model/camera.h"

struct beam_grid {
    int n_channel, n_y, n_x;
    double pixel[2]; /* rad along x and y */
    double beam[3];  /* rad: FWHM major, minor; position angle of the major axis from +y toward -x (north to east) */
};

/* Of images of this camera, whose pixels must have angles. */
struct beam_grid cube_beam_grid(const struct camera *camera, int n_channel, const struct image_options *options);
/* Fails when the beam is too large for the image. */
enum lr_status cube_beam_check(lr_context *ctx, const struct beam_grid *grid);

/* values[n_channel][n_y][n_x], in place. */
enum lr_status cube_convolve(lr_context *ctx, const struct beam_grid *grid, float *values);
/* The same for standard errors, with errors of different pixels taken as independent: sqrt(kernel^2 * error^2). */
enum lr_status cube_convolve_error(lr_context *ctx, const struct beam_grid *grid, float *errors);

#endif
