/* A rectilinear Cartesian mesh. Lengths in cm. Cell (i, j, k) has index (i n_y + j) n_z + k: the order of a C or
 * numpy array field[i, j, k]. */
#ifndef LR_MESH_MESH_H
#define LR_MESH_MESH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

enum face_rule { FACE_OPEN, FACE_PERIODIC, FACE_REFLECTING };

/* Faces in the order x-, x+, y-, y+, z-, z+. */
enum { N_FACE = 6 };

struct mesh {
    int n[3];
    double *edge[3]; /* n + 1 increasing values each */
    enum face_rule face[N_FACE];
};

static inline int64_t mesh_cell_count(const struct mesh *mesh)
{
    return (int64_t)mesh->n[0] * mesh->n[1] * mesh->n[2];
}

static inline int64_t mesh_cell_index(const struct mesh *mesh, int i, int j, int k)
{
    return ((int64_t)i * mesh->n[1] + j) * mesh->n[2] + k;
}

static inline double mesh_cell_volume(const struct mesh *mesh, int i, int j, int k)
{
    return (mesh->edge[0][i + 1] - mesh->edge[0][i]) * (mesh->edge[1][j + 1] - mesh->edge[1][j]) *
           (mesh->edge[2][k + 1] - mesh->edge[2][k]);
}

static inline double mesh_size(const struct mesh *mesh, int axis)
{
    return mesh->edge[axis][mesh->n[axis]] - mesh->edge[axis][0];
}

static inline double mesh_centre(const struct mesh *mesh, int axis)
{
    return mesh->edge[axis][0] + 0.5 * mesh_size(mesh, axis);
}

/* Equal cells from `lower` on. The other members of *mesh are left alone; release with mesh_free(). */
enum lr_status mesh_build_uniform(lr_context *ctx, const int n[3], const double lower[3], const double size[3],
                                  struct mesh *mesh);
/* *to is empty before; release with mesh_free(). */
enum lr_status mesh_copy(lr_context *ctx, const struct mesh *from, struct mesh *to);
void mesh_free(struct mesh *mesh);

/* The first i with edge[i] >= edge[i + 1], or -1 when the edges increase as they must. */
int mesh_find_disorder(const struct mesh *mesh, int axis);
/* The cell that holds coordinate x along the axis, clamped to the mesh; a face belongs to the cell above it. */
int mesh_find_cell(const struct mesh *mesh, int axis, double x);
/* True inside the mesh and on its surface. */
bool mesh_contains(const struct mesh *mesh, const double point[3]);
/* Area of one face of the mesh; face as in enum face_rule order x-, x+, ... cm^2. */
double mesh_face_area(const struct mesh *mesh, int face);

#endif
