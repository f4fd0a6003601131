/* Keys of fields (a value, a dataset, an array, a snapshot field, a formula, or bodies over a default) and of bodies.
 */
#include "io/schema/schema_rows.h"

static const struct schema_key DATASET[] = {
    KEY("file", VALUE, "file name", "required", "HDF5; the path is relative to the folder of the model"),
    KEY("dataset", VALUE, "name", "required",
        "numbers, with a `units` attribute; the shape of a field is that of the mesh"),
};
SCHEMA_TABLE(DATASET, "field.file", "values in a file", DATASET);

static const struct schema_key ARRAY[] = {
    KEY("array", VALUE, "name", "required", "an array passed by the program that loads the model, instead of a file"),
};
SCHEMA_TABLE(ARRAY, "field.array", "values in memory", ARRAY);

static const struct schema_key OF_SNAPSHOT[] = {
    KEY("snapshot", VALUE, "name", "required", "a dataset of the snapshot"),
};
SCHEMA_TABLE(OF_SNAPSHOT, "field.snapshot", "values from a snapshot, by name", OF_SNAPSHOT);

static const struct schema_key FORMULA[] = {
    KEY("formula", VALUE | LIST, "formula, or three of them", "required",
        "of position, with units; three, of x, y and z, for the velocity"),
};
SCHEMA_TABLE(FORMULA, "field.formula", "values from a formula", FORMULA);

static const struct schema_key PAINTED[] = {
    KEY("default", VALUE, "value of the field", "required", "outside all regions"),
    MAPS("regions", LIST, NULL, "required", "bodies painted over the default, later ones over earlier ones",
         &SCHEMA_REGION),
};
SCHEMA_TABLE(PAINTED, "field.default", "a default and regions", PAINTED);

/* ---- Bodies ---- */

#define SHAPES                                                                                                         \
    MAPS("box", MAP, NULL, "one of four shapes", "with faces along the axes", &SCHEMA_BOX),                            \
        MAPS("sphere", MAP, NULL, "one of four shapes", "a filled sphere", &SCHEMA_SPHERE),                            \
        MAPS("shell", MAP, NULL, "one of four shapes", "between two spheres", &SCHEMA_SHELL),                          \
        MAPS("slab", MAP, NULL, "one of four shapes", "between two planes", &SCHEMA_SLAB)

static const struct schema_key REGION[] = {
    SHAPES,
    KEY("value", VALUE, "value of the field", "required", "inside the body"),
};
SCHEMA_TABLE(REGION, "field.regions", "one body of a field", REGION);

static const struct schema_key REFINE[] = {
    SHAPES,
    KEY("levels", VALUE, "whole number, 1 to 15", "required",
        "number of times that cells overlapping the body are halved along each axis"),
};
SCHEMA_TABLE(REFINE, "mesh.refine", "one body filled with smaller cells", REFINE);

static const struct schema_key BOX[] = {
    KEY("min", LIST, "three lengths", "required", "lower corner"),
    KEY("max", LIST, "three lengths", "required", "upper corner"),
};
SCHEMA_TABLE(BOX, "region.box", "a box", BOX);

static const struct schema_key SPHERE[] = {
    KEY("centre", LIST, "three lengths", "required; with shells, their centre", "of the sphere"),
    QUANTITY("radius", DIMENSION_LENGTH, "required", "above zero"),
};
SCHEMA_TABLE(SPHERE, "region.sphere", "a filled sphere", SPHERE);

static const struct schema_key SHELL[] = {
    KEY("centre", LIST, "three lengths", "required; with shells, their centre", "of both spheres"),
    QUANTITY("inner", DIMENSION_LENGTH, "required", "radius, zero or more"),
    QUANTITY("outer", DIMENSION_LENGTH, "required", "radius, above `inner`"),
};
SCHEMA_TABLE(SHELL, "region.shell", "the volume between two spheres", SHELL);

static const char *const AXES[] = {"x", "y", "z", NULL};
static const struct schema_key SLAB[] = {
    WORDS("axis", AXES, "required", "normal to the slab"),
    QUANTITY("from", DIMENSION_LENGTH, "required", "lower end along the axis"),
    QUANTITY("to", DIMENSION_LENGTH, "required", "upper end"),
};
SCHEMA_TABLE(SLAB, "region.slab", "the volume between two planes", SLAB);
