/* Keys of the section `mesh`. */
#include "io/schema/schema_rows.h"

static const char *const FACE_RULES[] = {"open", "periodic", "reflecting", NULL}; /* in the order of enum face_rule */
static const char *const SPACINGS[] = {"linear", "log", NULL};

static const struct schema_key MESH[] = {
    KEY("cells", LIST, "three whole numbers", "required, or `edges` or `shells`",
        "along x, y and z: at most 2^20 along an axis and 2^31 - 1 in all"),
    KEY("size", LIST, "three lengths", "required with `cells`", "of the whole mesh"),
    KEY("origin", LIST, "three lengths", "minus half the size",
        "lower corner; without it the mesh is centred on the origin"),
    MAPS("refine", LIST, NULL, "none", "regions where cells are smaller", &SCHEMA_REFINE),
    KEY("brick", VALUE, "whole number, 1 to 64", "`1`",
        "with `refine` or `bricks`: cells are divided in bricks of so many along each axis"),
    MAPS("bricks", MAP, NULL, "none", "instead of `refine`: every brick of a mesh that another program refined",
         &SCHEMA_BRICKS),
    MAPS("edges", MAP, NULL, "none", "edges of the cells, instead of `cells`, `size` and `origin`", &SCHEMA_EDGES),
    {.name = "faces",
     .kinds = VALUE | MAP,
     .words = FACE_RULES,
     .fallback = "`open`",
     .meaning = "what photons meet there: at all faces, or by axis or face. Shells are open",
     .map = {&SCHEMA_FACES}},
    MAPS("shells", VALUE | MAP, "whole number, or `{edges}`", "none",
         "spherical shells about the origin, instead of cells: how many, or their radii", &SCHEMA_SHELL_EDGES),
    QUANTITY("inner", DIMENSION_LENGTH, "`0 pc`",
             "of shells: inner radius of the first one; inside is a cavity that light crosses freely"),
    QUANTITY("outer", DIMENSION_LENGTH, "required with a number of `shells`", "radius of the outermost sphere"),
    WORDS("spacing", SPACINGS, "`linear`",
          "shells of equal thickness, or of equal ratio of their radii (which needs `inner` above zero)"),
};
SCHEMA_TABLE(MESH, "mesh", "where the gas is: cells or shells, and their faces", MESH);

#define EDGES_OF(key, says)                                                                                            \
    MAPS(key, LIST | MAP, "lengths, or `{file, dataset}`", "required", says, &SCHEMA_DATASET, &SCHEMA_ARRAY)

static const struct schema_key EDGES[] = {
    EDGES_OF("x", "edges of the cells along x, increasing"),
    EDGES_OF("y", "along y"),
    EDGES_OF("z", "along z"),
};
SCHEMA_TABLE(EDGES, "mesh.edges", "cells of any width", EDGES);

static const struct schema_key SHELL_EDGES[] = {
    EDGES_OF("edges", "radii of the shells, increasing, from zero or more")};
SCHEMA_TABLE(SHELL_EDGES, "mesh.shells", "shells of any thickness", SHELL_EDGES);

/* First one for each face, in the order of the faces of a mesh, then one for each axis. */
static const struct schema_key FACES[] = {
    WORDS("x-", FACE_RULES, "`open`", "the lower face along x"), WORDS("x+", FACE_RULES, "`open`", "the upper one"),
    WORDS("y-", FACE_RULES, "`open`", "the lower face along y"), WORDS("y+", FACE_RULES, "`open`", "the upper one"),
    WORDS("z-", FACE_RULES, "`open`", "the lower face along z"), WORDS("z+", FACE_RULES, "`open`", "the upper one"),
    WORDS("x", FACE_RULES, "`open`", "both faces along x"),      WORDS("y", FACE_RULES, "`open`", "both faces along y"),
    WORDS("z", FACE_RULES, "`open`", "both faces along z"),
};
SCHEMA_TABLE(FACES, "mesh.faces", "faces that are not all alike; periodic ones come in pairs", FACES);

static const struct schema_key BRICKS[] = {
    MAPS("level", MAP, "`{file, dataset}`", "required", "whole numbers of shape (n): 0 is the coarsest",
         &SCHEMA_DATASET, &SCHEMA_ARRAY),
    MAPS("position", MAP, "`{file, dataset}`", "required",
         "shape (n, 3): counted in bricks of that level from the lower corner", &SCHEMA_DATASET, &SCHEMA_ARRAY),
};
SCHEMA_TABLE(BRICKS, "mesh.bricks", "a refined mesh, brick by brick", BRICKS);
