/* The rays used to find the radiation field for level populations.
 *
 * CARTESIAN, AMR: directions spread evenly over the sphere and rotated at random; for each, a grid of rays across the
 * mesh, also shifted at random. If cells differ much in size, rays through random points of random cells, weighted by
 * the areas they represent. Infinite layers: one ray for each node of a quadrature in mu. SHELLS: impact parameters,
 * several between the mid-radii of neighbouring shells. */
#ifndef LR_SOLVE_LEVELS_LEVEL_RAYS_H
#define LR_SOLVE_LEVELS_LEVEL_RAYS_H

#include "backend/backend.h"
#include "mesh/mesh.h"

struct ray_set {
    struct level_rays rays;
    double (*direction)[3];
    double *weight;
    int64_t *first;
    struct level_ray *ray;
    double *ring;
};

/* `number` is that of directions, roughly, over the sphere, or over both hemispheres of layers; on shells, of impact
 * parameters per shell. `seed` rotates and shifts them if anything is random; otherwise a new set must have more of
 * them. */
enum lr_status ray_set_make(lr_context *ctx, const struct mesh *mesh, double length_unit, int number, uint64_t seed,
                            struct ray_set *set);
void ray_set_free(struct ray_set *set);

/* Whether sets with different seeds are the same. */
bool ray_set_is_fixed(const struct mesh *mesh);
int ray_set_default(const struct mesh *mesh);
/* Numbers above this one are not worthwhile. */
int ray_set_most(const struct mesh *mesh);

#endif
