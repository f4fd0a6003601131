#include "mesh/neighbour.h"

#include "mesh/amr.h"

void mesh_cell_centre(const struct mesh *mesh, const int at[3], double centre[3])
{
    double low[3], high[3];
    mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
    for (int axis = 0; axis < 3; axis++)
        centre[axis] = 0.5 * (low[axis] + high[axis]);
}

/* How far a point outside the mesh along an axis must be moved to be inside; 0 if it is inside. */
static double period(const struct mesh *mesh, int axis, double x)
{
    return x < mesh_lower(mesh, axis) ? mesh_size(mesh, axis) : x > mesh_upper(mesh, axis) ? -mesh_size(mesh, axis) : 0;
}

static int refined_neighbours(const struct mesh *mesh, const int at[3], int axis, int side, int64_t *cell,
                              double (*centre)[3])
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double finest = amr_finest_width(&mesh->tree, axis);
    double low[3], high[3];
    mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
    const double behind = side < 0 ? low[axis] - 0.5 * finest : high[axis] + 0.5 * finest;
    const double shift = period(mesh, axis, behind);
    if (shift != 0 && mesh->face[2 * axis] != FACE_PERIODIC)
        return 0;
    for (int quarter = 0; quarter < MESH_MOST_NEIGHBOURS; quarter++) {
        int there[3];
        double point[3];
        point[axis] = behind + shift;
        point[u] = low[u] + (quarter & 1 ? 0.75 : 0.25) * (high[u] - low[u]);
        point[v] = low[v] + (quarter & 2 ? 0.75 : 0.25) * (high[v] - low[v]);
        mesh_find_point(mesh, point, there);
        cell[quarter] = mesh_cell_index(mesh, there[0], there[1], there[2]);
        mesh_cell_centre(mesh, there, centre[quarter]);
        centre[quarter][axis] -= shift;
    }
    return MESH_MOST_NEIGHBOURS;
}

int mesh_neighbours(const struct mesh *mesh, const int at[3], int axis, int side, int64_t cell[MESH_MOST_NEIGHBOURS],
                    double centre[MESH_MOST_NEIGHBOURS][3])
{
    int there[3] = {at[0], at[1], at[2]};
    double shift = 0;
    if (mesh->kind == MESH_AMR)
        return refined_neighbours(mesh, at, axis, side, cell, centre);
    there[axis] += side;
    if (there[axis] < 0 || there[axis] >= mesh->n[axis]) {
        if (mesh->face[2 * axis] != FACE_PERIODIC)
            return 0;
        there[axis] = side < 0 ? mesh->n[axis] - 1 : 0;
        shift = side * mesh_size(mesh, axis);
    }
    cell[0] = mesh_cell_index(mesh, there[0], there[1], there[2]);
    mesh_cell_centre(mesh, there, centre[0]);
    centre[0][axis] += shift;
    return 1;
}
