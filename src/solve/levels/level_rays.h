/* The rays that the radiation field of level populations is found with.
 *
 * CARTESIAN, AMR: directions spread evenly over the sphere and turned at random; for each, a grid of rays across the
 * mesh, also shifted at random. Where cells differ much in size, rays through random points of random cells, weighted
 * so that they stand for equal areas. Layers without an end: one ray for each node of a quadrature in mu. SHELLS:
 * impact parameters, several between the middles of neighbouring shells. */
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

/* `number` of directions: about so many over the sphere, over both hemispheres of layers; of impact parameters for each
 * shell. `seed` turns and shifts them, where anything is random; elsewhere a new set has more of them. */
enum lr_status ray_set_make(lr_context *ctx, const struct mesh *mesh, double length_unit, int number, uint64_t seed,
                            struct ray_set *set);
void ray_set_free(struct ray_set *set);

/* Whether sets with other seeds are the same. */
bool ray_set_is_fixed(const struct mesh *mesh);
int ray_set_default(const struct mesh *mesh);
/* Numbers above this one are not worth it. */
int ray_set_most(const struct mesh *mesh);

#endif
