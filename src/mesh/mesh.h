/* A rectilinear Cartesian mesh. Lengths in cm. Cell (i, j, k) has index (i n_y + j) n_z + k: the order of a C or
 * numpy array field[i, j, k]. */
#ifndef LR_MESH_MESH_H
#define LR_MESH_MESH_H

#include <stdint.h>

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

static inline double mesh_size(const struct mesh *mesh, int axis)
{
    return mesh->edge[axis][mesh->n[axis]] - mesh->edge[axis][0];
}

#endif
