/* Meshes. Lengths in cm.
 *
 * CARTESIAN: rectilinear. Cell (i, j, k) has index (i n_y + j) n_z + k: the order of a C or numpy array field[i, j, k].
 * SHELLS: n[0] spherical shells about the origin between the radii edge[0]; n[1] = n[2] = 1 and there are no other
 * edges. Inside the first radius is an empty cavity, which belongs to no cell. Fields have one value per shell, and
 * vector fields are radial. Its one face is x+, the outermost sphere; as a box it is the cube around that sphere.
 * AMR: bricks of brick[0] x brick[1] x brick[2] cells, on several levels, which fill a box (kernel/brick.h). Cells are
 * numbered as if bricks were stacked along x: cell (i, j, k) of brick b is (b brick[0] + i, j, k) of a mesh with n =
 * (n_brick brick[0], brick[1], brick[2]), the order of an array field[brick, i, j, k]. There are no edges. */
#ifndef LR_MESH_MESH_H
#define LR_MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "kernel/kinds.h"

/* 8 bytes per brick and 4 per link, with 8 links for every 7 bricks plus those of level 0. */
struct mesh_tree {
    int root[3];  /* positions for bricks on level 0 */
    int brick[3]; /* cells of a brick */
    int deepest;  /* level there is */
    double lower[3], size[3];
    int64_t n_brick, n_link;
    uint64_t *key;
    int32_t *link;
};

struct mesh {
    enum mesh_kind kind;
    int n[3];
    double *edge[3]; /* n + 1 increasing values each; SHELLS: radii in edge[0] alone; AMR: NULL */
    enum face_rule face[N_FACE];
    struct mesh_tree tree; /* AMR */
};

static inline int64_t mesh_cell_count(const struct mesh *mesh)
{
    return (int64_t)mesh->n[0] * mesh->n[1] * mesh->n[2];
}

static inline int64_t mesh_cell_index(const struct mesh *mesh, int i, int j, int k)
{
    return ((int64_t)i * mesh->n[1] + j) * mesh->n[2] + k;
}

/* Number of axes with edges. */
static inline int mesh_axis_count(const struct mesh *mesh)
{
    return mesh->kind == MESH_SHELLS ? 1 : mesh->kind == MESH_AMR ? 0 : 3;
}

/* The corners of a cell. SHELLS: its radii, in x. */
void mesh_cell_box(const struct mesh *mesh, int i, int j, int k, double low[3], double high[3]);
/* (i, j, k) of a cell index. */
void mesh_cell_place(const struct mesh *mesh, int64_t cell, int at[3]);
/* A cell as text: "[i, j, k]", "[shell]" or "[brick, i, j, k]". */
void mesh_name_cell(const struct mesh *mesh, int64_t cell, char *text, size_t size);

/* The shape of a field as an array: (x, y, z), (shell) or (brick, x, y, z). Returns the number of its axes. */
enum { MESH_MAX_RANK = 4 };
int mesh_field_shape(const struct mesh *mesh, int shape[MESH_MAX_RANK]);

/* Whether the mesh is one periodic cell along an axis, and so has neither end nor width there. */
static inline bool mesh_is_endless(const struct mesh *mesh, int axis)
{
    return mesh->kind == MESH_CARTESIAN && mesh->n[axis] == 1 && mesh->face[2 * axis] == FACE_PERIODIC;
}

double mesh_cell_volume(const struct mesh *mesh, int i, int j, int k);
/* Of all cells. */
double mesh_volume(const struct mesh *mesh);
/* The shortest path through the centre of a cell. */
double mesh_cell_width(const struct mesh *mesh, int i, int j, int k);

/* The longest straight path through a cell; for a box, its longest side that has an end. */
double mesh_cell_longest(const struct mesh *mesh, int i, int j, int k);

/* The corners of the box that contains the mesh, and its size. */
static inline double mesh_lower(const struct mesh *mesh, int axis)
{
    return mesh->kind == MESH_SHELLS ? -mesh->edge[0][mesh->n[0]]
           : mesh->kind == MESH_AMR  ? mesh->tree.lower[axis]
                                     : mesh->edge[axis][0];
}

static inline double mesh_upper(const struct mesh *mesh, int axis)
{
    return mesh->kind == MESH_SHELLS ? mesh->edge[0][mesh->n[0]]
           : mesh->kind == MESH_AMR  ? mesh->tree.lower[axis] + mesh->tree.size[axis]
                                     : mesh->edge[axis][mesh->n[axis]];
}

static inline double mesh_size(const struct mesh *mesh, int axis)
{
    return mesh_upper(mesh, axis) - mesh_lower(mesh, axis);
}

static inline double mesh_centre(const struct mesh *mesh, int axis)
{
    return mesh_lower(mesh, axis) + 0.5 * mesh_size(mesh, axis);
}

/* Equal cells starting at `lower`. The other members of *mesh are unchanged; release with mesh_free(). */
enum lr_status mesh_build_uniform(lr_context *ctx, const int n[3], const double lower[3], const double size[3],
                                  struct mesh *mesh);
/* n shells from `inner` to `outer`: of equal thickness, or (`by_ratio`) with radii in a constant ratio. */
enum lr_status mesh_build_shells(lr_context *ctx, int n, double inner, double outer, bool by_ratio, struct mesh *mesh);
/* Bricks by level and position (in bricks of that level), which must fill the box exactly once; errors name the
 * brick. */
enum lr_status mesh_build_amr(lr_context *ctx, const int root[3], const int brick[3], const double lower[3],
                              const double size[3], int64_t n_brick, const int *level, const int (*position)[3],
                              struct mesh *mesh);
/* *to must be empty; release with mesh_free(). */
enum lr_status mesh_copy(lr_context *ctx, const struct mesh *from, struct mesh *to);
void mesh_free(struct mesh *mesh);

/* The smallest and largest width of cells along an axis. */
void mesh_widths(const struct mesh *mesh, int axis, double *smallest, double *largest);

/* The first i with edge[i] >= edge[i + 1], or -1 if the edges increase as required. */
int mesh_find_disorder(const struct mesh *mesh, int axis);
/* Not AMR: the cell containing coordinate x along the axis, clamped to the mesh; a face belongs to the cell above it.
 */
int mesh_find_cell(const struct mesh *mesh, int axis, double x);
/* The cell containing a point, clamped to the mesh: its (i, j, k), and its index. */
void mesh_find_point(const struct mesh *mesh, const double point[3], int at[3]);
int64_t mesh_cell_at(const struct mesh *mesh, const double point[3]);
/* True inside the mesh, in its cavity and on its surface. */
bool mesh_contains(const struct mesh *mesh, const double point[3]);
/* The axis normal to layers: the only one that is not a single cell with periodic faces. -1 if there are no layers. */
int mesh_layer_axis(const struct mesh *mesh);
/* Area of one face of the mesh; faces are numbered x-, x+, y-, ... cm^2. */
double mesh_face_area(const struct mesh *mesh, int face);

#endif
