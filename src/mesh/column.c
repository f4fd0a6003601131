#include "mesh/column.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/brick.h"
#include "mesh/amr.h"

/* value times the path from `from` to the upper face of the cell that contains `at`; *from moves there. */
static double cross_cell(const struct mesh *mesh, int axis, const double at[3], column_value *value, const void *user,
                         double *from)
{
    int cell[3];
    double low[3], high[3];
    mesh_find_point(mesh, at, cell);
    mesh_cell_box(mesh, cell[0], cell[1], cell[2], low, high);
    const double length = fmax(high[axis] - *from, 0.0);
    *from = fmax(high[axis], *from);
    return length * value(user, mesh_cell_index(mesh, cell[0], cell[1], cell[2]));
}

double column_integral(const struct mesh *mesh, int axis, const double point[3], column_value *value, const void *user)
{
    const double into = 0.5 * amr_finest_width(&mesh->tree, axis), end = mesh_upper(mesh, axis);
    double at[3] = {point[0], point[1], point[2]}, from = point[axis];
    /* the rest of the first cell: only rounding if the point lies on its upper face */
    double sum = cross_cell(mesh, axis, at, value, user, &from);
    while (from + into < end) {
        at[axis] = from + into; /* clearly inside the next cell */
        sum += cross_cell(mesh, axis, at, value, user, &from);
    }
    return sum;
}

/* ---- the largest of all ----
 *
 * Nodes of the octree that lie behind each other along the axis form a stack. Bricks in it add to the columns of the
 * stack; divided nodes continue as four stacks of the next level, whose columns start with the values of the columns
 * they belong to. So each node is visited once, however fine the finest columns are. */

struct search {
    const struct mesh_tree *tree;
    int axis, u, v;
    column_value *value;
    const void *user;
    double largest;
};

/* Adds INT value ds through a brick to the columns [brick_u][brick_v]. */
static void add_brick(const struct search *search, int32_t brick, int level, double *columns)
{
    const struct mesh_tree *tree = search->tree;
    const int *n = tree->brick;
    const double width = ldexp(tree->size[search->axis] / ((double)tree->root[search->axis] * n[search->axis]), -level);
    int at[3];
    for (at[0] = 0; at[0] < n[0]; at[0]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[2] = 0; at[2] < n[2]; at[2]++) {
                const int64_t cell = (((int64_t)brick * n[0] + at[0]) * n[1] + at[1]) * n[2] + at[2];
                columns[at[search->u] * n[search->v] + at[search->v]] += width * search->value(search->user, cell);
            }
}

/* One stack: links place[n], and its columns so far. Both arrays have space after them for the next levels. */
static void search_stack(struct search *search, int level, const int32_t *place, int64_t n, int32_t *room,
                         double *columns)
{
    const int n_u = search->tree->brick[search->u], n_v = search->tree->brick[search->v];
    double *next = columns + n_u * n_v;
    bool divided = false;
    for (int64_t i = 0; i < n; i++) {
        if (place[i] >= 0)
            add_brick(search, place[i], level, columns);
        divided |= place[i] < 0;
    }
    for (int i = 0; !divided && i < n_u * n_v; i++)
        search->largest = fmax(search->largest, columns[i]);
    for (int quarter = 0; divided && quarter < 4; quarter++) {
        const int half_u = quarter >> 1, half_v = quarter & 1;
        int64_t n_next = 0;
        for (int64_t i = 0; i < n; i++)
            for (int part = 0; place[i] < 0 && part < 8; part++) {
                const int half[3] = {part >> 2, part >> 1 & 1, part & 1};
                if (half[search->u] == half_u && half[search->v] == half_v)
                    room[n_next++] = search->tree->link[~place[i] + part];
            }
        for (int a = 0; a < n_u; a++)
            for (int b = 0; b < n_v; b++)
                next[a * n_v + b] = columns[(half_u * n_u + a) / 2 * n_v + (half_v * n_v + b) / 2];
        search_stack(search, level + 1, room, n_next, room + n_next, next);
    }
}

static void search_all(struct search *search, int32_t *place, double *columns)
{
    const int *root = search->tree->root;
    const int n_column = search->tree->brick[search->u] * search->tree->brick[search->v];
    int at[3];
    for (at[search->u] = 0; at[search->u] < root[search->u]; at[search->u]++)
        for (at[search->v] = 0; at[search->v] < root[search->v]; at[search->v]++) {
            int64_t n = 0;
            for (at[search->axis] = 0; at[search->axis] < root[search->axis]; at[search->axis]++)
                place[n++] = search->tree->link[((int64_t)at[0] * root[1] + at[1]) * root[2] + at[2]];
            for (int i = 0; i < n_column; i++)
                columns[i] = 0;
            search_stack(search, 0, place, n, place + n, columns);
        }
}

double column_largest(const struct mesh *mesh, int axis, column_value *value, const void *user)
{
    const struct mesh_tree *tree = &mesh->tree;
    struct search search = {
        .tree = tree, .axis = axis, .u = (axis + 1) % 3, .v = (axis + 2) % 3, .value = value, .user = user};
    const size_t n_column = (size_t)tree->brick[search.u] * (size_t)tree->brick[search.v];
    int32_t *place = malloc((size_t)tree->n_link * sizeof *place);
    double *columns = malloc(n_column * (BRICK_DEEPEST + 1) * sizeof *columns);
    if (place && columns) {
        search_all(&search, place, columns);
    } else {
        for (int64_t cell = 0; cell < mesh_cell_count(mesh); cell++)
            search.largest = fmax(search.largest, value(user, cell) * mesh_size(mesh, axis));
    }
    free(place);
    free(columns);
    return search.largest;
}
