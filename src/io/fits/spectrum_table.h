/* The spectrum over an image as a small text table: velocity (km/s), flux, and its error if there is one. It is either
 * complete or absent. */
#ifndef LR_IO_FITS_SPECTRUM_TABLE_H
#define LR_IO_FITS_SPECTRUM_TABLE_H

#include <stdbool.h>

#include "base/context.h"
#include "model/cube.h"

/* Jy over the whole image if pixels have angles, otherwise the mean over the image in the unit of the options. */
enum lr_status spectrum_table_write(lr_context *ctx, const struct cube *cube, const struct image_options *options,
                                    const char *path);

/* Whether a file begins like such a table. */
bool spectrum_table_recognise(const char *path);

#endif
