/* Keys of a model as a whole, and of the sections with defaults: `populations`, `physics`, `output` and `run`. */
#include "io/schema/schema_rows.h"

static const char *const POPULATION_METHODS[] = {"lte",         "given", "two-level", "lvg", "escape-probability",
                                                 "equilibrium", NULL};
static const char *const AXES[] = {"x", "y", "z", NULL};
/* All in the order of their enums. */
static const char *const REDISTRIBUTIONS[] = {
    "exact", "table-global", "table-constant", "approximate-voigt", "complete", NULL};
static const char *const PHASES[] = {"isotropic", "dipole", NULL};
static const char *const ABSORPTIONS[] = {"continuous", "analog", NULL};
static const char *const PRECISIONS[] = {"mixed", "double", NULL};
static const char *const SCHEDULINGS[] = {"queue", "static", NULL};

static const struct schema_key MODEL[] = {
    MAPS("mesh", MAP, "mapping", "required, or `snapshot`", "where the gas is: cells or shells, and their faces",
         &SCHEMA_MESH),
    MAPS("snapshot", VALUE | MAP, "name of a file, or mapping", "none",
         "a file of a simulation: stands in for `mesh`, but its `faces`, and for what `medium` leaves out",
         &SCHEMA_SNAPSHOT),
    MAPS("line", VALUE | MAP, "name, or mapping", "required, or `lines`",
         "which line: by name, by numbers, of a molecule", &SCHEMA_LINE, &SCHEMA_MOLECULE),
    MAPS("lines", LIST, "list of mappings", "none", "several lines of the same gas, each a model of its own",
         &SCHEMA_LINES, &SCHEMA_LINE, &SCHEMA_MOLECULE),
    MAPS("medium", MAP, "mapping", "required, or `snapshot`",
         "the gas: temperature, density or depth, motion, absorption", &SCHEMA_MEDIUM),
    MAPS("sources", LIST, "list of mappings", "required; `gas` for a molecule", "where photons come from",
         &SCHEMA_SOURCE),
    MAPS("populations", VALUE | MAP, "name of a method, or mapping", "`lte`", "how the levels of a molecule are found",
         &SCHEMA_POPULATIONS),
    MAPS("physics", MAP, "mapping", "`{}`", "how photons scatter", &SCHEMA_PHYSICS),
    MAPS("output", MAP, "mapping", "`{}`", "what the result holds", &SCHEMA_OUTPUT),
    MAPS("channels", MAP, "mapping", "required with `cameras`", "the velocity channels of all images",
         &SCHEMA_CHANNELS),
    MAPS("cameras", LIST, "list of mappings", "none", "one to 256 observers; each makes one cube", &SCHEMA_CAMERA),
    MAPS("image", MAP, "mapping", "`{}`", "how images are made and written; with `cameras`", &SCHEMA_IMAGE),
    MAPS("run", MAP, "mapping", "`{}`", "how many packets, and on what", &SCHEMA_RUN),
};
SCHEMA_TABLE(MODEL, "model", "the sections of a model file", MODEL);

static const struct schema_key POPULATIONS[] = {
    WORDS("method", POPULATION_METHODS, "`lte`", "how the levels of a molecule are found"),
    QUANTITY("background", DIMENSION_TEMPERATURE, "`2.725 K`",
             "all but `lte` and `given`: black body around the mesh. Images have `image.background`"),
    KEY("error", VALUE, "number, 1e-12 to 1", "`1e-3`",
        "the same methods: largest relative error wanted of populations that matter"),
    KEY("iterations", VALUE, "whole number, 1 to 1e6", "`200`", "the same methods: at most"),
    KEY("directions", VALUE, "whole number, or `auto`", "`auto`",
        "`equilibrium`: of rays, or as many as `noise` needs. 1 to 64 on shells, 2 to 128 in layers, 6 to 1e5 "
        "otherwise"),
    KEY("noise", VALUE, "number, 1e-6 to 1", "`0.01`",
        "`equilibrium`: that rays may leave in populations (root mean square, weighted with them)"),
    KEY("stimulated", VALUE, "truth value", "`true`",
        "stimulated emission counts in the opacity; `false` goes with `lte` and `given` alone"),
    FIELD("length", DIMENSION_LENGTH, "required",
          "`escape-probability`: diameter of the sphere that light escapes from"),
    KEY("file", VALUE, "name of a file", "required", "`given`: HDF5 with fractions or densities of all levels"),
    KEY("dataset", VALUE, "name", "required", "`given`: the shape of the mesh, then levels"),
    KEY("inversion_limit", VALUE, "number, 0 to 100", "`1`",
        "`lvg`, `escape-probability`, `equilibrium`: lines amplify down to an optical depth of minus this"),
    KEY("array", VALUE, "name", "none", "`given`: an array of the program that loads the model, instead of a file"),
};
SCHEMA_TABLE(POPULATIONS, "populations", "how the levels of a molecule are found", POPULATIONS);

static const struct schema_key PHYSICS[] = {
    WORDS("redistribution", REDISTRIBUTIONS, "`exact`",
          "of frequencies at a scattering; all but `exact` are for comparison"),
    WORDS("phase", PHASES, "`isotropic`", "`dipole`: E1 = 1 in the wing, `dipole_core` of the line in the core"),
    KEY("recoil", VALUE, "truth value", "`false`", "of the atom at each scattering; not with `complete`"),
    WORDS("absorption", ABSORPTIONS, "`continuous`", "weight loss with Russian roulette, or whole packets"),
};
SCHEMA_TABLE(PHYSICS, "physics", "how photons scatter", PHYSICS);

static const struct schema_key OUTPUT[] = {
    KEY("fields", VALUE, "truth value", "`true`", "mean intensity and scattering rate per cell"),
    KEY("packets", VALUE, "truth value", "`false`", "list of escaped packets with last-scattering positions"),
    KEY("bins", VALUE, "whole number, 1 to 1e6", "`1000`", "of the spectrum"),
    KEY("range", LIST, "two frequencies", "automatic", "ends of the spectrum"),
    MAPS("directions", MAP, NULL, "one bin", "bins of the escape direction about an axis, of equal solid angle",
         &SCHEMA_DIRECTIONS),
    QUANTITY("reference_b", DIMENSION_VELOCITY, "b of the gas, or its mean", "Doppler unit of all x"),
    KEY("populations", VALUE, "truth value", "`true`; `false` for `lte` and `given`",
        "fractions of all levels per cell: 8 bytes per cell and level"),
};
SCHEMA_TABLE(OUTPUT, "output", "what the result holds", OUTPUT);

static const struct schema_key DIRECTIONS[] = {
    KEY("mu", VALUE, "whole number, 1 to 1000", "`1`", "bins of the cosine with the axis"),
    KEY("phi", VALUE, "whole number, 1 to 1000", "`1`", "bins of the angle about it"),
    WORDS("axis", AXES, "`z`", "of the bins"),
};
SCHEMA_TABLE(DIRECTIONS, "output.directions", "bins of the escape direction", DIRECTIONS);

static const struct schema_key RUN[] = {
    KEY("packets", VALUE, "whole number, 1 to 1e13", "`1e5`",
        "photon packets. 0, for light that is not scattered, with `cameras` or a molecule; always with a source `gas`"),
    KEY("seed", VALUE, "whole number, 0 to 2^63 - 1", "`1`", "of the random numbers"),
    KEY("threads", VALUE, "whole number, 0 to 4096", "`0`", "of the CPU; 0 = all"),
    KEY("batches", VALUE, "whole number, 2 to 1024", "`32`",
        "independent groups of packets that give the errors; never more than packets"),
    KEY("memory", VALUE, "number of GiB", "80 % of what is free",
        "that a run plans with, on the device and on the host; larger images are made in passes"),
    KEY("device", VALUE, "`auto`, `cpu`, `cuda` or `cuda:N`", "`auto`",
        "where packets are followed: a GPU if there is one"),
    WORDS("precision", PRECISIONS, "`mixed`", "single precision with double sums, or double throughout"),
    WORDS("scheduling", SCHEDULINGS, "`queue`",
          "packets from a queue, or dealt out beforehand (slower; to measure the gain)"),
};
SCHEMA_TABLE(RUN, "run", "how many packets, and on what", RUN);
