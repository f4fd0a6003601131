/* Keys of the section `mesh`. */
#include "io/schema/schema_rows.h"

static const char *const FACE_RULES[] = {"open", "periodic", "reflecting", NULL}; /* in the order of enum face_rule */
static const char *const SPACINGS[] = {"linear", "log", NULL};

static const struct schema_key MESH[] = {
    KEY("cells", LIST, "three whole numbers", "required, or `edges` or `shells`",
        "along x, y and z; at most 2^20 along an axis and 2^31 - 1 in total"),
    KEY("size", LIST, "three lengths", "required with `cells`", "of the whole mesh"),
    KEY("origin", LIST, "three lengths", "minus half the size",
        "lower corner; by default the mesh is centred on the origin"),
    MAPS("refine", LIST, NULL, "none", "regions where cells are smaller", &SCHEMA_REFINE),
    KEY("brick", VALUE, "whole number, 1 to 64", "`1`",
        "with `refine` or `bricks`: number of cells along each side of a brick"),
    MAPS("bricks", MAP, NULL, "none", "instead of `refine`: every brick of a mesh refined by another program",
         &SCHEMA_BRICKS),
    MAPS("edges", MAP, NULL, "none", "edges of the cells, instead of `cells`, `size` and `origin`", &SCHEMA_EDGES),
    {.name = "faces",
     .kinds = VALUE | MAP,
     .words = FACE_RULES,
     .fallback = "`open`",
     .meaning = "boundary condition: for all faces, or by axis or face. Shells are open",
     .map = {&SCHEMA_FACES}},
    MAPS("shells", VALUE | MAP, "whole number, or `{edges}`", "none",
         "spherical shells about the origin, instead of cells: how many, or their radii", &SCHEMA_SHELL_EDGES),
    QUANTITY("inner", DIMENSION_LENGTH, "`0 pc`",
             "inner radius of the first shell; inside is a cavity that light crosses freely"),
    QUANTITY("outer", DIMENSION_LENGTH, "required if `shells` is a number", "radius of the outermost sphere"),
    WORDS("spacing", SPACINGS, "`linear`",
          "shells of equal thickness, or with radii in a constant ratio (which needs `inner` above zero)"),
};
SCHEMA_TABLE(MESH, "mesh", "where the gas is: cells or shells, and their faces", MESH);

#define EDGES_OF(key, says)                                                                                            \
    MAPS(key, LIST | MAP, "lengths, or `{file, dataset}`", "required", says, &SCHEMA_DATASET, &SCHEMA_ARRAY)

static const struct schema_key EDGES[] = {
    EDGES_OF("x", "edges of the cells along x, increasing"),
    EDGES_OF("y", "along y"),
    EDGES_OF("z", "along z"),
};
SCHEMA_TABLE(EDGES, "mesh.edges", "cells of arbitrary width", EDGES);

static const struct schema_key SHELL_EDGES[] = {
    EDGES_OF("edges", "radii of the shells, increasing, from zero or more")};
SCHEMA_TABLE(SHELL_EDGES, "mesh.shells", "shells of arbitrary thickness", SHELL_EDGES);

/* First one for each face, in the order of the faces of a mesh, then one for each axis. */
static const struct schema_key FACES[] = {
    WORDS("x-", FACE_RULES, "`open`", "the lower face along x"), WORDS("x+", FACE_RULES, "`open`", "the upper one"),
    WORDS("y-", FACE_RULES, "`open`", "the lower face along y"), WORDS("y+", FACE_RULES, "`open`", "the upper one"),
    WORDS("z-", FACE_RULES, "`open`", "the lower face along z"), WORDS("z+", FACE_RULES, "`open`", "the upper one"),
    WORDS("x", FACE_RULES, "`open`", "both faces along x"),      WORDS("y", FACE_RULES, "`open`", "both faces along y"),
    WORDS("z", FACE_RULES, "`open`", "both faces along z"),
};
SCHEMA_TABLE(FACES, "mesh.faces", "faces that differ; periodic ones come in pairs", FACES);

static const struct schema_key BRICKS[] = {
    MAPS("level", MAP, "`{file, dataset}`", "required", "integers of shape (n); 0 is the coarsest", &SCHEMA_DATASET,
         &SCHEMA_ARRAY),
    MAPS("position", MAP, "`{file, dataset}`", "required",
         "integers of shape (n, 3): in bricks of that level, from the lower corner", &SCHEMA_DATASET, &SCHEMA_ARRAY),
};
SCHEMA_TABLE(BRICKS, "mesh.bricks", "a refined mesh, brick by brick", BRICKS);
