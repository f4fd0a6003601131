/* The mesh of a result file, and the position of a camera. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/result_read.h"

static enum lr_status read_face_rules(const struct hdf5_reader *reader, struct mesh *mesh)
{
    enum { LENGTH = 16 };
    static const char *const rules[] = {"open", "periodic", "reflecting"};
    char found[N_FACE][LENGTH];
    int n = 0;
    LR_TRY(hdf5_read_texts(reader, "/mesh", "face_rules", N_FACE, LENGTH, found[0], &n));
    for (int face = 0; face < n; face++) {
        int rule = 0;
        while (rule < 3 && strcmp(found[face], rules[rule]) != 0)
            rule++;
        if (rule == 3)
            return hdf5_read_fail(reader, "/mesh", "has an unknown boundary condition");
        mesh->face[face] = (enum face_rule)rule;
    }
    return n == N_FACE ? LR_OK : hdf5_read_fail(reader, "/mesh", "does not have six boundary conditions");
}

static enum lr_status read_shells(const struct hdf5_reader *reader, struct mesh *mesh)
{
    enum { MOST_EDGES = 1 << 24 };
    int n = 0;
    LR_TRY(hdf5_read_length(reader, "/mesh/r_edges", 1, MOST_EDGES, &n));
    LR_TRY(hdf5_read_doubles(reader, "/mesh/r_edges", 1, &n, 0.0, &mesh->edge[0]));
    mesh->kind = MESH_SHELLS;
    mesh->n[0] = n - 1;
    mesh->n[1] = mesh->n[2] = 1;
    return n < 2 || mesh_find_disorder(mesh, 0) >= 0 ? hdf5_read_fail(reader, "/mesh/r_edges", "does not increase")
                                                     : LR_OK;
}

/* Three integers of a refined mesh. */
static enum lr_status read_counts(const struct hdf5_reader *reader, const char *name, int count[3])
{
    const int n = 3;
    double *found = NULL;
    enum lr_status status = hdf5_read_doubles(reader, name, 1, &n, 1.0, &found);
    for (int axis = 0; status == LR_OK && axis < 3; axis++) {
        count[axis] = found[axis] < (1 << 24) ? (int)found[axis] : 0;
        if (count[axis] != found[axis])
            status = hdf5_read_fail(reader, name, "has invalid values");
    }
    free(found);
    return status;
}

static enum lr_status read_corner(const struct hdf5_reader *reader, const char *name, double corner[3])
{
    const int n = 3;
    double *found = NULL;
    enum lr_status status = hdf5_read_doubles(reader, name, 1, &n, -INFINITY, &found);
    if (status == LR_OK)
        memcpy(corner, found, 3 * sizeof *corner);
    free(found);
    return status;
}

/* n x width whole numbers. */
static enum lr_status read_places(const struct hdf5_reader *reader, const char *name, int n, int width, int *places)
{
    double *found = NULL;
    enum lr_status status = hdf5_read_doubles(reader, name, width > 1 ? 2 : 1, (const int[]){n, width}, 0.0, &found);
    for (size_t i = 0; status == LR_OK && i < (size_t)n * (size_t)width; i++) {
        places[i] = found[i] < (1 << 24) ? (int)found[i] : -1;
        if (places[i] != found[i])
            status = hdf5_read_fail(reader, name, "has invalid values");
    }
    free(found);
    return status;
}

static enum lr_status read_tree(const struct hdf5_reader *reader, struct mesh *mesh)
{
    int root[3], brick[3], n = 0, *level = NULL;
    int(*position)[3] = NULL;
    double lower[3], size[3];
    enum lr_status status = LR_OK;
    LR_TRY(read_counts(reader, "/mesh/root", root));
    LR_TRY(read_counts(reader, "/mesh/brick", brick));
    LR_TRY(read_corner(reader, "/mesh/lower", lower));
    LR_TRY(read_corner(reader, "/mesh/upper", size));
    LR_TRY(hdf5_read_length(reader, "/mesh/level", 1, INT_MAX, &n));
    for (int axis = 0; axis < 3; axis++)
        size[axis] -= lower[axis];
    LR_TRY_OR(done, status, lr_allocate(reader->ctx, (size_t)n, sizeof *level, &level));
    LR_TRY_OR(done, status, lr_allocate(reader->ctx, (size_t)n, sizeof *position, &position));
    LR_TRY_OR(done, status, read_places(reader, "/mesh/level", n, 1, level));
    LR_TRY_OR(done, status, read_places(reader, "/mesh/position", n, 3, position[0]));
    status = mesh_build_amr(reader->ctx, root, brick, lower, size, n, level, (const int(*)[3])position, mesh);
    if (status == LR_ERROR_INPUT)
        status = hdf5_read_fail(reader, "/mesh", "has bricks that do not fill it");
done:
    free(level);
    free(position);
    return status == LR_OK ? read_face_rules(reader, mesh) : status;
}

enum lr_status result_mesh_read(const struct hdf5_reader *reader, struct mesh *mesh)
{
    if (hdf5_read_has(reader, "/mesh/r_edges"))
        return read_shells(reader, mesh);
    if (hdf5_read_has(reader, "/mesh/level"))
        return read_tree(reader, mesh);
    static const char *const name[3] = {"/mesh/x_edges", "/mesh/y_edges", "/mesh/z_edges"};
    enum { MOST_EDGES = 1 << 24 };
    const double most_cells = 2147483647; /* rays count cells with 32 bits */
    double cells = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        int n = 0;
        LR_TRY(hdf5_read_length(reader, name[axis], 1, MOST_EDGES, &n));
        LR_TRY(hdf5_read_doubles(reader, name[axis], 1, &n, -INFINITY, &mesh->edge[axis]));
        mesh->n[axis] = n - 1;
        if (n < 2 || mesh_find_disorder(mesh, axis) >= 0)
            return hdf5_read_fail(reader, name[axis], "does not increase");
        cells *= mesh->n[axis];
    }
    if (cells > most_cells)
        return hdf5_read_fail(reader, "/mesh", "has too many cells");
    return read_face_rules(reader, mesh);
}

enum lr_status result_camera_read(const struct hdf5_reader *reader, const char *group, struct camera *camera)
{
    enum { LENGTH = 16 };
    char kind[LENGTH];
    int n = 0;
    LR_TRY(hdf5_read_texts(reader, group, "kind", 1, LENGTH, kind, &n));
    camera->kind = strcmp(kind, "perspective") == 0 ? CAMERA_PERSPECTIVE : CAMERA_ORTHOGRAPHIC;
    LR_TRY(hdf5_read_numbers(reader, group, "toward", 3, camera->toward));
    LR_TRY(hdf5_read_numbers(reader, group, "right", 3, camera->right));
    LR_TRY(hdf5_read_numbers(reader, group, "up", 3, camera->up));
    LR_TRY(hdf5_read_numbers(reader, group, "centre", 3, camera->centre));
    LR_TRY(hdf5_read_numbers(reader, group, "field", 2, camera->field));
    if (camera->kind == CAMERA_PERSPECTIVE)
        LR_TRY(hdf5_read_numbers(reader, group, "position", 3, camera->position));
    return LR_OK;
}
