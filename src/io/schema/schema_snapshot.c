/* Keys of the section `snapshot`. */
#include "io/schema/schema_rows.h"

static const char *const SCALARS[] = {"abundance", "mass-fraction", NULL};

static const struct schema_key SNAPSHOT[] = {
    KEY("file", VALUE, "file name", "required", "HDF5 in linerad's format, or Athena++ (`.athdf`)"),
    KEY("mass_per_h2", VALUE, "number of u, 2 to 1000", "`2.8`",
        "gas mass per H2 molecule: gives n(H2) if the file has only `gas_density`"),
    KEY("mean_molecular_weight", VALUE, "number of u, 0.1 to 1000", "none",
        "mean mass per particle, e.g. 2.33: gives the temperature if the file has only `pressure`"),
    MAPS("region", MAP, NULL, "everything",
         "the part to use, after `roll`: the smallest box of whole cells that contains it", &SCHEMA_CUT),
    KEY("axes", LIST, "`x`, `y` and `z` in some order", "`[x, y, z]`",
        "the axes of the file that become x, y and z, after `roll` and `region`"),
    MAPS("roll", MAP, NULL, "none",
         "shift of a periodic box: what leaves at the upper end of an axis comes back at the lower end", &SCHEMA_ROLL),
    MAPS("units", MAP, NULL, "required for Athena++", "the code units", &SCHEMA_CODE_UNITS),
    KEY("gamma", VALUE, "number, above 1 to 10", "none", "Athena++: adiabatic index, for conserved variables"),
    MAPS("scalars", MAP, "`{SPECIES: VARIABLE}`, or `{SPECIES: {variable, as, mass}}`", "none",
         "Athena++: the species that passive scalars stand for", &SCHEMA_SCALAR),
};
SCHEMA_TABLE(SNAPSHOT, "snapshot", "a simulation file, in place of `mesh` and of what `medium` leaves out", SNAPSHOT);

static const struct schema_key ROLL[] = {
    QUANTITY("x", DIMENSION_LENGTH, "`0 pc`",
             "along x of the file; a whole number of cells, which must all have the same width"),
    QUANTITY("y", DIMENSION_LENGTH, "`0 pc`", "along y"),
    QUANTITY("z", DIMENSION_LENGTH, "`0 pc`", "along z"),
};
SCHEMA_TABLE(ROLL, "snapshot.roll", "shift of a periodic box", ROLL);

static const struct schema_key CUT[] = {
    KEY("x", LIST, "two lengths", "everything", "lower and upper limit along x of the file"),
    KEY("y", LIST, "two lengths", "everything", "along y"),
    KEY("z", LIST, "two lengths", "everything", "along z"),
};
SCHEMA_TABLE(CUT, "snapshot.region", "the part to use", CUT);

static const struct schema_key CODE_UNITS[] = {
    QUANTITY("length", DIMENSION_LENGTH, "required", "one code unit of length"),
    QUANTITY("density", DIMENSION_MASS_DENSITY, "required", "one code unit of mass density"),
    QUANTITY("velocity", DIMENSION_VELOCITY, "required", "one code unit of velocity"),
};
SCHEMA_TABLE(CODE_UNITS, "snapshot.units", "code units of Athena++", CODE_UNITS);

static const struct schema_key SCALAR[] = {
    KEY("variable", VALUE, "name", "required", "of the variable in the file"),
    WORDS("as", SCALARS, "`abundance`", "number of molecules per H2, or fraction of the gas mass"),
    QUANTITY("mass", DIMENSION_MASS, "that of the model's molecule", "of one molecule; needed for a mass fraction"),
};
SCHEMA_TABLE(SCALAR, "snapshot.scalars", "one passive scalar of Athena++", SCALAR);
