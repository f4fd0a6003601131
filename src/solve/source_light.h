/* The light that sources send straight to a camera, channel by channel. */
#ifndef LR_SOLVE_SOURCE_LIGHT_H
#define LR_SOLVE_SOURCE_LIGHT_H

#include "model/model.h"

/* Share of the photons of a spectrum between the shifts low and high (cm/s, positive = blue), relative to whatever the
 * spectrum is relative to; a and b are those of the emitting cell (LOCAL). */
double spectrum_share(const struct spectrum *spectrum, double low, double high, double a, double b);

/* The same for channel k of an observer for whom the gas moves with `approach` (v . n_cam). */
double channel_share(const struct spectrum *spectrum, const struct channels *channels, int k, double approach, double a,
                     double b);

#endif
