/* Density, temperature and molecules of a turbulent cloud, from one normal field. */
#ifndef LR_SOLVE_CLOUD_TURBULENT_GAS_H
#define LR_SOLVE_CLOUD_TURBULENT_GAS_H

#include "model/cloud.h"

/* field[CLOUD_H2] holds a field of mean zero with this standard deviation; it becomes the density, and temperature, CO
 * and OH follow. Velocities are there already. Fills all of `statistics` but the solenoidal share. */
enum lr_status cloud_gas_fill(lr_context *ctx, struct lr_cloud *cloud, double deviation);

#endif
