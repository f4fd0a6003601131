/* One channel map cube, as traced. */
#ifndef LR_MODEL_CUBE_H
#define LR_MODEL_CUBE_H

#include "base/context.h"
#include "model/camera.h"

struct cube {
    struct camera camera;
    struct channels channels; /* of this cube */
    double nu0;               /* Hz */
    /* [n_channel][n_y][n_x], intensity in units of `scale` erg s^-1 cm^-2 Hz^-1 sr^-1, mean over pixel and channel. The
     * scale keeps faint models inside the range of float. */
    float *intensity;
    float *error;         /* one standard error, same unit; or NULL */
    float *optical_depth; /* mean over pixel and channel; or NULL */
    float *column;        /* [n_y][n_x] of the molecule, mean over pixel, in units of column_unit cm^-2; or NULL */
    double column_unit;
    double *sky;      /* [n_channel] the background part of the intensity, same unit; NULL = none */
    double *centroid; /* [n_channel][2] of the emission, from the image centre to the right and up, cm; or NULL */
    /* photons s^-1 sr^-1, of the whole image: the part from points, and the scattered light of each group of packets,
     * with their number (0: no errors requested). */
    double point_flux, group_flux[IMAGE_GROUPS], group_packets[IMAGE_GROUPS];
    float *group_image; /* [IMAGE_GROUPS][n_voxel] the light of each group alone, kept for merging; or NULL */
    bool as_one;        /* velocity does not change inside cells */
    struct lr_image report;
    struct lr_check check;
    double scale;
    double background; /* K, already subtracted if options.subtract is set */
    double seconds;    /* of ray tracing */
};

void cube_free(struct cube *cube);
/* Numbers in its images: pixels times channels. */
size_t cube_voxel_count(const struct cube *cube);
/* Flux of an image with the unit and shape of the cube, for a distant observer: photons s^-1 sr^-1. With I_nu = I_v h
 * nu c / nu0 that is SUM I_v dv times the area of a pixel. */
double cube_flux(const struct cube *cube, const float *intensity);
/* Free what was only needed for the report. */
void cube_drop(struct cube *cube, const struct image_options *options);

/* Whether float32 is too narrow for these values times `factor`: the largest is below 1e-30 or above 1e30. */
bool cube_exceeds_float(const float *values, size_t n, double factor);

#endif
