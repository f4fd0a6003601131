/* How fast the gas velocity changes along a line of sight, averaged over all directions: the mean of |dv/ds| = |n .
 * grad v . n|, s^-1. */
#ifndef LR_SOLVE_COMMON_VELOCITY_GRADIENT_H
#define LR_SOLVE_COMMON_VELOCITY_GRADIENT_H

#include "model/model.h"

/* Directions that cover half the sphere (n and -n are equivalent here): Gauss points in the cosine of the polar angle,
 * and an odd number of equal steps in azimuth, so that none coincide with the nodes of symmetric flows. */
enum { N_GRADIENT_POLAR = 8, N_GRADIENT_AZIMUTH = 15, N_GRADIENT_DIRECTION = N_GRADIENT_POLAR * N_GRADIENT_AZIMUTH };

struct gradient_directions {
    double weight[N_GRADIENT_DIRECTION];
    double product[N_GRADIENT_DIRECTION][6]; /* n_x n_x, n_y n_y, n_z n_z, n_x n_y, n_y n_z, n_z n_x */
};

void gradient_directions_make(struct gradient_directions *directions);

/* dv_i / dx_j by differences to the neighbours on both sides of a cell; at a face that is not periodic, on one side.
 * Exact for a velocity that is linear in space, also where cells of different levels meet. On shells, that of radial
 * motion in the frame of the radius. */
void velocity_gradient_tensor(const lr_model *model, const int at[3], double gradient[3][3]);
/* The mean over the directions: exact for isotropic expansion, otherwise within 1.5 %. */
double velocity_gradient_mean(const struct gradient_directions *directions, double gradient[3][3]);
/* The part of this mean that is due to directions in which the gas expands, 0 to 1; half of it where nothing moves. The
 * mean of dv/ds with its sign is a third of the divergence. */
double velocity_gradient_expanding(double mean, double gradient[3][3]);

#endif
