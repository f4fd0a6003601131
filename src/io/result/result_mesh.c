/* The group /mesh of a result, and the shape that fields over the mesh have. */
#include "io/result/result_groups.h"

#include <stdlib.h>

#include "mesh/amr.h"

enum lr_status result_field_write(struct hdf5_writer *writer, hid_t group, const struct mesh *mesh, int n_last,
                                  struct hdf5_dataset dataset)
{
    int shape[MESH_MAX_RANK];
    dataset.rank = mesh_field_shape(mesh, shape);
    for (int i = 0; i < dataset.rank; i++)
        dataset.size[i] = (hsize_t)shape[i];
    if (n_last > 0)
        dataset.size[dataset.rank++] = (hsize_t)n_last;
    return hdf5_write_dataset(writer, group, &dataset, NULL);
}

/* ---- rectilinear meshes and shells ---- */

static enum lr_status write_edges(struct hdf5_writer *writer, hid_t group, const struct mesh *mesh)
{
    static const char *const name[3] = {"x_edges", "y_edges", "z_edges"};
    static const char *const description[3] = {"cell edges along x", "cell edges along y", "cell edges along z"};
    LR_TRY(hdf5_write_text(writer, group, "kind", "cartesian"));
    for (int i = 0; i < 3; i++)
        LR_TRY(hdf5_write_doubles(writer, group, name[i], (hsize_t)mesh->n[i] + 1, 0, 0, mesh->edge[i], "cm",
                                  description[i]));
    return LR_OK;
}

static enum lr_status write_radii(struct hdf5_writer *writer, hid_t group, const struct mesh *mesh)
{
    LR_TRY(hdf5_write_text(writer, group, "kind", "shells"));
    return hdf5_write_doubles(writer, group, "r_edges", (hsize_t)mesh->n[0] + 1, 0, 0, mesh->edge[0], "cm",
                              "radii between the shells");
}

/* ---- refined meshes ---- */

static enum lr_status write_integers(struct hdf5_writer *writer, hid_t group, const char *name, int64_t n, int width,
                                     const int *values, const char *description)
{
    const struct hdf5_dataset dataset = {.name = name,
                                         .rank = width > 1 ? 2 : 1,
                                         .size = {(hsize_t)n, (hsize_t)width},
                                         .memory_type = H5T_NATIVE_INT,
                                         .file_type = H5T_STD_I32LE,
                                         .data = values,
                                         .units = "1",
                                         .description = description};
    return hdf5_write_dataset(writer, group, &dataset, NULL);
}

static enum lr_status write_bricks(struct hdf5_writer *writer, hid_t group, const struct mesh_tree *tree)
{
    int *level = NULL, *position = NULL;
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, lr_allocate(writer->ctx, (size_t)tree->n_brick, sizeof *level, &level));
    LR_TRY_OR(done, status, lr_allocate(writer->ctx, 3 * (size_t)tree->n_brick, sizeof *position, &position));
    for (int64_t b = 0; b < tree->n_brick; b++)
        level[b] = amr_brick_place(tree, b, position + 3 * b);
    LR_TRY_OR(done, status, write_integers(writer, group, "level", tree->n_brick, 1, level, "level of each brick"));
    status = write_integers(writer, group, "position", tree->n_brick, 3, position,
                            "position of each brick [x, y, z], in bricks of its level");
done:
    free(level);
    free(position);
    return status;
}

static enum lr_status write_tree(struct hdf5_writer *writer, hid_t group, const struct mesh *mesh)
{
    const struct mesh_tree *tree = &mesh->tree;
    const double upper[3] = {mesh_upper(mesh, 0), mesh_upper(mesh, 1), mesh_upper(mesh, 2)};
    LR_TRY(hdf5_write_text(writer, group, "kind", "amr"));
    LR_TRY(hdf5_write_doubles(writer, group, "lower", 3, 0, 0, tree->lower, "cm", "lower corner of the mesh"));
    LR_TRY(hdf5_write_doubles(writer, group, "upper", 3, 0, 0, upper, "cm", "upper corner of the mesh"));
    LR_TRY(write_integers(writer, group, "root", 3, 1, tree->root, "bricks along x, y, z on level 0"));
    LR_TRY(write_integers(writer, group, "brick", 3, 1, tree->brick, "cells of a brick along x, y, z"));
    return write_bricks(writer, group, tree);
}

/* ---- the group ---- */

enum lr_status result_mesh_write(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    static const char *const face_name[N_FACE] = {"x-", "x+", "y-", "y+", "z-", "z+"};
    static const char *const rule_name[] = {"open", "periodic", "reflecting"};
    const struct mesh *mesh = &result->mesh;
    const char *rules[N_FACE];
    if (mesh->kind == MESH_SHELLS)
        return write_radii(writer, group, mesh);
    LR_TRY((mesh->kind == MESH_AMR ? write_tree : write_edges)(writer, group, mesh));
    for (int i = 0; i < N_FACE; i++)
        rules[i] = rule_name[mesh->face[i]];
    LR_TRY(hdf5_write_texts(writer, group, "faces", face_name, N_FACE));
    return hdf5_write_texts(writer, group, "face_rules", rules, N_FACE);
}
