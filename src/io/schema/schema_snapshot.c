/* Keys of the section `snapshot`. */
#include "io/schema/schema_rows.h"

static const char *const SCALARS[] = {"abundance", "mass-fraction", NULL};

static const struct schema_key SNAPSHOT[] = {
    KEY("file", VALUE, "name of a file", "required", "HDF5 in linerad's format, or Athena++ (`.athdf`)"),
    KEY("mass_per_h2", VALUE, "number of u, 2 to 1000", "`2.8`",
        "mass of gas for each H2 molecule: makes n(H2) of a file with `gas_density` alone"),
    KEY("mean_molecular_weight", VALUE, "number of u, 0.1 to 1000", "none",
        "mean mass of a particle, such as 2.33: makes temperatures of a file with `pressure` alone"),
    MAPS("region", MAP, NULL, "everything",
         "the part that is taken, after `roll`: the smallest box of whole cells that holds it", &SCHEMA_CUT),
    KEY("axes", LIST, "`x`, `y` and `z` in some order", "`[x, y, z]`",
        "the axes of the file that become x, y and z, after `roll` and `region`"),
    MAPS("roll", MAP, NULL, "none",
         "of a periodic box: the gas moves up by so much, and what leaves at one side comes back at the other",
         &SCHEMA_ROLL),
    MAPS("units", MAP, NULL, "required for Athena++", "what one code unit is", &SCHEMA_CODE_UNITS),
    KEY("gamma", VALUE, "number, above 1 to 10", "none", "Athena++: adiabatic index, for conserved variables"),
    MAPS("scalars", MAP, "`{SPECIES: VARIABLE}`, or `{SPECIES: {variable, as, mass}}`", "none",
         "Athena++: what passive scalars are", &SCHEMA_SCALAR),
};
SCHEMA_TABLE(SNAPSHOT, "snapshot", "a file of a simulation, instead of `mesh` and what `medium` leaves out", SNAPSHOT);

static const struct schema_key ROLL[] = {
    QUANTITY("x", DIMENSION_LENGTH, "`0 pc`", "along x of the file; a whole number of cells, all of one width"),
    QUANTITY("y", DIMENSION_LENGTH, "`0 pc`", "along y"),
    QUANTITY("z", DIMENSION_LENGTH, "`0 pc`", "along z"),
};
SCHEMA_TABLE(ROLL, "snapshot.roll", "how far a periodic box is moved", ROLL);

static const struct schema_key CUT[] = {
    KEY("x", LIST, "two lengths", "everything", "from and to along x of the file"),
    KEY("y", LIST, "two lengths", "everything", "along y"),
    KEY("z", LIST, "two lengths", "everything", "along z"),
};
SCHEMA_TABLE(CUT, "snapshot.region", "the part that is taken", CUT);

static const struct schema_key CODE_UNITS[] = {
    QUANTITY("length", DIMENSION_LENGTH, "required", "one code unit of length"),
    QUANTITY("density", DIMENSION_MASS_DENSITY, "required", "of mass density"),
    QUANTITY("velocity", DIMENSION_VELOCITY, "required", "of velocity"),
};
SCHEMA_TABLE(CODE_UNITS, "snapshot.units", "code units of Athena++", CODE_UNITS);

static const struct schema_key SCALAR[] = {
    KEY("variable", VALUE, "name", "required", "of the variable in the file"),
    WORDS("as", SCALARS, "`abundance`", "number of molecules for each H2, or share of the mass of the gas"),
    QUANTITY("mass", DIMENSION_MASS, "that of the molecule of the model",
             "of one molecule, which a mass fraction needs"),
};
SCHEMA_TABLE(SCALAR, "snapshot.scalars", "one passive scalar of Athena++", SCALAR);
