/* Keys of the sections `line` and `lines`. */
#include "io/schema/schema_rows.h"

static const struct schema_key LINE[] = {
    QUANTITY("frequency", DIMENSION_FREQUENCY, "required", "rest frequency of the line"),
    QUANTITY("einstein_a", DIMENSION_RATE, "required", "`A_ul`"),
    KEY("degeneracies", LIST, "two numbers", "required", "`[lower, upper]`"),
    QUANTITY("mass", DIMENSION_MASS, "required", "of the atom or molecule"),
    QUANTITY("gamma", DIMENSION_RATE, "same as `einstein_a`",
             "total radiative rate out of both levels; sets the damping"),
    KEY("dipole_core", VALUE, "number, 0 to 1", "from the degeneracies",
        "dipole fraction E1 of the phase function in the line core"),
};
SCHEMA_TABLE(LINE, "line", "a line from its constants; for a molecule see `line.molecule`", LINE);

static const struct schema_key MOLECULE[] = {
    KEY("molecule", VALUE, "name, or file name", "required, or `rotor`",
        "built in (`linerad molecule` lists them; no collision rates), or a file in LAMDA format"),
    MAPS("rotor", MAP, NULL, "none", "constants of a linear molecule, instead of `molecule`; no collision rates",
         &SCHEMA_ROTOR),
    KEY("transition", VALUE | LIST, "label, whole number, list of these, or `all`", "`1`",
        "upper and lower level, e.g. `1-0`, or the number of the line in the file, counted from 1; several lines that "
        "overlap are a list, `all` those in `range`, or the common part of their labels: `1-0` of a file with "
        "hyperfine "
        "structure is the whole multiplet"),
    KEY("range", LIST, "two frequencies", "none", "with `transition: all`: the lines from one to the other"),
    KEY("reference", VALUE, "label, or whole number", "the strongest line",
        "of several lines, the one whose frequency is velocity 0; `tau_c` and the rest frequency of cubes are its own"),
    KEY("levels", VALUE, "whole number", "all",
        "keep only this many of the lowest levels; saves time if the others are empty"),
    KEY("species", VALUE, "name", "formula, or first word of the name in the file",
        "name of the molecule in the fields of a snapshot, e.g. CO in `n_CO`"),
};
SCHEMA_TABLE(MOLECULE, "line.molecule", "a line of a molecule, atom or ion with all its levels", MOLECULE);

static const struct schema_key GROUP[] = {
    MAPS("group", VALUE | LIST, "name, or list of lines", "required",
         "lines of atoms that overlap, known by name ([atoms](atoms.md)) or from the constants of each; the first one "
         "sets the frequency axis, and density, depth and `b` of the medium are its own",
         &SCHEMA_GROUP_LINE),
    KEY("deuterium", VALUE, "number, 0 to 1", "`0`",
        "with `lyman_alpha_fine`: atoms of deuterium per atom of hydrogen, about 3e-5"),
};
SCHEMA_TABLE(GROUP, "line.group", "lines of atoms that overlap", GROUP);

static const struct schema_key GROUP_LINE[] = {
    QUANTITY("frequency", DIMENSION_FREQUENCY, "required", "rest frequency of the line"),
    QUANTITY("einstein_a", DIMENSION_RATE, "required",
             "`A_ul`; with those of other lines of the same upper level, "
             "also the branching ratio"),
    KEY("degeneracies", LIST, "two numbers", "required", "`[lower, upper]`"),
    QUANTITY("mass", DIMENSION_MASS, "required", "of the atom"),
    QUANTITY("gamma", DIMENSION_RATE, "sum of `einstein_a` of its upper level",
             "total radiative rate out of both levels, if it is larger; sets the damping"),
    KEY("dipole_core", VALUE, "number, 0 to 1", "from the degeneracies", "dipole fraction E1 of the phase function"),
    KEY("upper", VALUE, "name", "one of its own",
        "of the upper level: lines with the same name share it, and light absorbed in one may leave in the others"),
    KEY("abundance", VALUE, "number", "`1`",
        "atoms in its lower level per atom in that of the first line; 0: it emits, but does not absorb"),
};
SCHEMA_TABLE(GROUP_LINE, "line.group.line", "one line of a group", GROUP_LINE);

static const struct schema_key ROTOR[] = {
    QUANTITY("b", DIMENSION_FREQUENCY, "required", "rotational constant B"),
    QUANTITY("d", DIMENSION_FREQUENCY, "`0 Hz`",
             "centrifugal distortion D: `E_J = B J (J + 1) - D J^2 (J + 1)^2 + H J^3 (J + 1)^3`"),
    QUANTITY("h", DIMENSION_FREQUENCY, "`0 Hz`", "higher-order distortion H"),
    QUANTITY("dipole", DIMENSION_DIPOLE, "required", "1 `debye` is 1e-18 statC cm; `C m` also works"),
    QUANTITY("mass", DIMENSION_MASS, "required", "of the molecule"),
    KEY("highest_j", VALUE, "whole number, 1 to 1000", "`40`",
        "levels run from J = 0 to this value, lines are J + 1 to J"),
};
SCHEMA_TABLE(ROTOR, "line.rotor", "a linear molecule from its constants", ROTOR);

#define SECTION(key, kind, ...) MAPS(key, kind, "as in the section", "none", "what differs for this line", __VA_ARGS__)

static const struct schema_key LINES[] = {
    KEY("name", VALUE, "letters, digits, `-` and `_`", "required", "used in file names"),
    MAPS("line", VALUE | MAP, "as in the section", "the keys of `line`",
         "which line; its keys may also be given here directly", &SCHEMA_LINE, &SCHEMA_MOLECULE, &SCHEMA_GROUP),
    SECTION("medium", MAP, &SCHEMA_MEDIUM),
    SECTION("populations", VALUE | MAP, &SCHEMA_POPULATIONS),
    SECTION("sources", LIST, &SCHEMA_SOURCE),
    SECTION("physics", MAP, &SCHEMA_PHYSICS),
    SECTION("output", MAP, &SCHEMA_OUTPUT),
    SECTION("channels", MAP, &SCHEMA_CHANNELS),
    SECTION("image", MAP, &SCHEMA_IMAGE),
    SECTION("run", MAP, &SCHEMA_RUN),
};
SCHEMA_TABLE(LINES, "lines", "one of several lines of the same gas; the keys of `line` may also be given here", LINES);
