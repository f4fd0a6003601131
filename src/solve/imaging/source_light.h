/* The light that sources send directly to a camera, channel by channel. */
#ifndef LR_SOLVE_IMAGING_SOURCE_LIGHT_H
#define LR_SOLVE_IMAGING_SOURCE_LIGHT_H

#include "model/scene.h"

/* Fraction of the photons of a spectrum between the shifts low and high (cm/s, positive = blue), relative to the same
 * reference as the spectrum; a and b are those of the emitting cell (LOCAL). */
double spectrum_share(const struct spectrum *spectrum, double low, double high, double a, double b);

/* The same for one of the LIGHT_PARTS of channel k, as seen by an observer whom the gas approaches at `approach` (v .
 * n_cam). */
double channel_share(const struct spectrum *spectrum, const struct channels *channels, int k, int part, double approach,
                     double a, double b);

/* The shifts between which all of a spectrum lies, except for LOCAL. */
void spectrum_extent(const struct spectrum *spectrum, double *low, double *high);

#endif
