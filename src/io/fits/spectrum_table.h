/* The spectrum over an image as a small text table: velocity (km/s), flux, and its error if there is one, as one file
 * of a set. */
#ifndef LR_IO_FITS_SPECTRUM_TABLE_H
#define LR_IO_FITS_SPECTRUM_TABLE_H

#include <stdbool.h>

#include "base/context.h"
#include "io/files/file_set.h"
#include "model/cube.h"

/* `origin` is added to the first line of comments. Jy over the whole image if pixels have angles, otherwise the mean
 * over the image in the unit of the options. */
enum lr_status spectrum_table_write(struct file_set *set, const struct cube *cube, const struct image_options *options,
                                    const char *origin, const char *path);

/* Whether a file begins like such a table. */
bool spectrum_table_recognise(const char *path);

#endif
