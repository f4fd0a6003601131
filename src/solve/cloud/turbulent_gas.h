/* Density, temperature and molecules of a turbulent cloud, from one normal field. */
#ifndef LR_SOLVE_CLOUD_TURBULENT_GAS_H
#define LR_SOLVE_CLOUD_TURBULENT_GAS_H

#include "model/cloud.h"

/* field[CLOUD_H2] holds a field of mean zero with this standard deviation; it is turned into the density, from which
 * temperature, CO and OH follow. Velocities must already be there. Fills all of `statistics` but the solenoidal
 * fraction. */
enum lr_status cloud_gas_fill(lr_context *ctx, struct lr_cloud *cloud, double deviation);

#endif
