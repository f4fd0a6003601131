/* Keys of the sections `line` and `lines`. */
#include "io/schema/schema_rows.h"

static const struct schema_key LINE[] = {
    QUANTITY("frequency", DIMENSION_FREQUENCY, "required", "of the line at rest"),
    QUANTITY("einstein_a", DIMENSION_RATE, "required", "`A_ul`"),
    KEY("degeneracies", LIST, "two numbers", "required", "`[lower, upper]`"),
    QUANTITY("mass", DIMENSION_MASS, "required", "of the atom or molecule"),
    QUANTITY("gamma", DIMENSION_RATE, "that of `einstein_a`",
             "total radiative rate out of both levels; sets the damping"),
    KEY("dipole_core", VALUE, "number, 0 to 1", "from the degeneracies",
        "dipole share E1 of the phase function in the line core"),
};
SCHEMA_TABLE(LINE, "line", "a line from its numbers; of a molecule see `line.molecule`", LINE);

static const struct schema_key MOLECULE[] = {
    KEY("molecule", VALUE, "name, or name of a file", "required, or `rotor`",
        "built in (`linerad molecule` lists them; without rates of collisions), or a file of the LAMDA format"),
    MAPS("rotor", MAP, NULL, "none",
         "constants of a linear molecule, instead of `molecule`; without rates of collisions", &SCHEMA_ROTOR),
    KEY("transition", VALUE, "label, or whole number", "`1`",
        "upper and lower level, such as `1-0`, or the number of the line in the file, from 1"),
    KEY("levels", VALUE, "whole number", "all", "only so many of the lowest levels: less work where others are empty"),
    KEY("species", VALUE, "name", "formula, or first word of the name in the file",
        "what fields of the molecule are called in a snapshot: `n_CO`"),
};
SCHEMA_TABLE(MOLECULE, "line.molecule", "a line of a molecule, atom or ion with all its levels", MOLECULE);

static const struct schema_key ROTOR[] = {
    QUANTITY("b", DIMENSION_FREQUENCY, "required", "rotational constant B"),
    QUANTITY("d", DIMENSION_FREQUENCY, "`0 Hz`",
             "distortion D: `E_J = B J (J + 1) - D J^2 (J + 1)^2 + H J^3 (J + 1)^3`"),
    QUANTITY("h", DIMENSION_FREQUENCY, "`0 Hz`", "distortion H"),
    QUANTITY("dipole", DIMENSION_DIPOLE, "required", "1 `debye` is 1e-18 statC cm; `C m` is fine"),
    QUANTITY("mass", DIMENSION_MASS, "required", "of the molecule"),
    KEY("highest_j", VALUE, "whole number, 1 to 1000", "`40`", "levels are J = 0 to this, lines J + 1 to J"),
};
SCHEMA_TABLE(ROTOR, "line.rotor", "a linear molecule from its constants", ROTOR);

#define SECTION(key, kind, ...)                                                                                        \
    MAPS(key, kind, "as the section", "none", "what is different for this line", __VA_ARGS__)

static const struct schema_key LINES[] = {
    KEY("name", VALUE, "letters, digits, `-` and `_`", "required", "part of file names"),
    MAPS("line", VALUE | MAP, "as the section", "the keys of `line`", "which line; or its keys, here", &SCHEMA_LINE,
         &SCHEMA_MOLECULE),
    SECTION("medium", MAP, &SCHEMA_MEDIUM),
    SECTION("populations", VALUE | MAP, &SCHEMA_POPULATIONS),
    SECTION("sources", LIST, &SCHEMA_SOURCE),
    SECTION("physics", MAP, &SCHEMA_PHYSICS),
    SECTION("output", MAP, &SCHEMA_OUTPUT),
    SECTION("channels", MAP, &SCHEMA_CHANNELS),
    SECTION("image", MAP, &SCHEMA_IMAGE),
    SECTION("run", MAP, &SCHEMA_RUN),
};
SCHEMA_TABLE(LINES, "lines", "one of several lines of the same gas; the keys of `line` belong here, too", LINES);
