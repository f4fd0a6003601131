/* The keywords of a FITS image: axes on the sky and in velocity, unit, beam, and where it came from. Conventions:
 * docs/cubes.md. */
#ifndef LR_IO_FITS_FITS_HEADER_H
#define LR_IO_FITS_FITS_HEADER_H

#include <fitsio.h>

#include "io/fits/fits_image.h"

#define FITS_ORIGIN "linerad"

/* After the keywords of the array. *status is that of CFITSIO; nothing is written if it is not 0 at the start. */
void fits_header_write(fitsfile *file, const struct fits_image *image, int *status);

#endif
