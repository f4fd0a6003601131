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
static const char *const ACCELERATIONS[] = {"none", "auto", "jumps", "skip", NULL};
static const char *const PRECISIONS[] = {"mixed", "double", NULL};
static const char *const SCHEDULINGS[] = {"queue", "static", NULL};

static const struct schema_key MODEL[] = {
    MAPS("mesh", MAP, "mapping", "required, or `snapshot`", "where the gas is: cells or shells, and their faces",
         &SCHEMA_MESH),
    MAPS("snapshot", VALUE | MAP, "file name, or mapping", "none",
         "a simulation file: replaces `mesh` (all but `faces`) and supplies what `medium` leaves out",
         &SCHEMA_SNAPSHOT),
    MAPS("line", VALUE | MAP, "name, or mapping", "required, or `lines`",
         "which line: by name, from its constants, or of a molecule; or a group of lines", &SCHEMA_LINE,
         &SCHEMA_MOLECULE, &SCHEMA_GROUP),
    MAPS("lines", LIST, "list of mappings", "none", "several lines of the same gas, each run as its own model",
         &SCHEMA_LINES, &SCHEMA_LINE, &SCHEMA_MOLECULE, &SCHEMA_GROUP),
    MAPS("medium", MAP, "mapping", "required, or `snapshot`",
         "the gas: temperature, density or optical depth, velocity, absorption", &SCHEMA_MEDIUM),
    MAPS("sources", LIST, "list of mappings", "required; `gas` for a molecule", "where photons come from",
         &SCHEMA_SOURCE),
    MAPS("populations", VALUE | MAP, "name of a method, or mapping", "`lte`",
         "how the level populations of a molecule are found", &SCHEMA_POPULATIONS),
    MAPS("physics", MAP, "mapping", "`{}`", "how photons scatter", &SCHEMA_PHYSICS),
    MAPS("output", MAP, "mapping", "`{}`", "what goes into the result", &SCHEMA_OUTPUT),
    MAPS("channels", MAP, "mapping", "required with `cameras`", "the velocity channels of all images",
         &SCHEMA_CHANNELS),
    MAPS("cameras", LIST, "list of mappings", "none", "one to 256 observers, with one cube each", &SCHEMA_CAMERA),
    MAPS("image", MAP, "mapping", "`{}`", "how images are made and written; needs `cameras`", &SCHEMA_IMAGE),
    MAPS("run", MAP, "mapping", "`{}`", "how many packets, and on which device", &SCHEMA_RUN),
};
SCHEMA_TABLE(MODEL, "model", "the sections of a model file", MODEL);

static const struct schema_key POPULATIONS[] = {
    WORDS("method", POPULATION_METHODS, "`lte`", "how the level populations of a molecule are found"),
    QUANTITY("background", DIMENSION_TEMPERATURE, "`2.725 K`",
             "all but `lte` and `given`: blackbody surrounding the mesh. For images, see `image.background`"),
    KEY("error", VALUE, "number, 1e-12 to 1", "`1e-3`",
        "same methods: largest acceptable relative error of the populations that matter"),
    KEY("iterations", VALUE, "whole number, 1 to 1e6", "`200`", "same methods: maximum number of iterations"),
    KEY("directions", VALUE, "whole number, or `auto`", "`auto`",
        "`equilibrium`: number of ray directions; `auto` takes as many as `noise` needs. 1 to 64 on shells, 2 to 128 "
        "in layers, 6 to 1e5 otherwise"),
    KEY("noise", VALUE, "number, 1e-6 to 1", "`0.01`",
        "`equilibrium`: noise that rays may leave in the populations (population-weighted rms)"),
    KEY("overlap", VALUE, "true or false", "`true`",
        "`lvg`, `escape-probability`, `equilibrium`: lines of the molecule that overlap see each other's light; "
        "`false`: "
        "each line by itself"),
    KEY("stimulated", VALUE, "true or false", "`true`",
        "include stimulated emission in the opacity; `false` only with `lte` and `given`"),
    FIELD("length", DIMENSION_LENGTH, "required",
          "`escape-probability`: diameter of the sphere that photons escape from"),
    KEY("file", VALUE, "file name", "required", "`given`: HDF5 with fractions or densities of all levels"),
    KEY("dataset", VALUE, "name", "required", "`given`: the axes of the mesh, then levels"),
    KEY("inversion_limit", VALUE, "number, 0 to 100", "`1`",
        "`lvg`, `escape-probability`, `equilibrium`: amplification is capped at this negative optical depth"),
    KEY("array", VALUE, "name", "none", "`given`: an array of the program that loads the model, instead of a file"),
};
SCHEMA_TABLE(POPULATIONS, "populations", "how the level populations of a molecule are found", POPULATIONS);

static const struct schema_key PHYSICS[] = {
    WORDS("redistribution", REDISTRIBUTIONS, "`exact`",
          "of frequency in a scattering; all but `exact` are for comparison"),
    WORDS("phase", PHASES, "`isotropic`", "`dipole`: E1 = 1 in the wing, `dipole_core` of the line in the core"),
    KEY("recoil", VALUE, "true or false", "`false`", "include atomic recoil in scattering; not with `complete`"),
    WORDS("absorption", ABSORPTIONS, "`continuous`",
          "packets lose weight (with Russian roulette), or are absorbed whole"),
    WORDS("acceleration", ACCELERATIONS, "`auto`",
          "`jumps` through deep cells, with the statistics of all scatterings; `auto`: only if it saves time; `none`: "
          "follow every scattering; `skip`: core skipping as in other codes, for comparison"),
    KEY("trials", VALUE, "whole number, 1000 to 1e9", "`65536`",
        "histories behind each row of the records that jumps are drawn from; more make them more accurate"),
    KEY("x_crit", VALUE, "number, 0.01 to 1000, or `auto`", "`auto`",
        "`skip`: photons at abs(x) below this leave the core at once; `auto`: 0.2 (a tau)^(1/3), with tau from the "
        "middle "
        "of each cell to its nearest face"),
};
SCHEMA_TABLE(PHYSICS, "physics", "how photons scatter", PHYSICS);

static const struct schema_key OUTPUT[] = {
    KEY("fields", VALUE, "true or false", "`true`", "mean intensity and scattering rate per cell"),
    KEY("packets", VALUE, "true or false", "`false`",
        "list of escaped packets, with the position of the last scattering"),
    KEY("sums", VALUE, "true or false", "`false`; `true` with `--share`",
        "keep the sums of each batch of packets, so that `linerad merge` can add other runs of the model"),
    KEY("bins", VALUE, "whole number, 1 to 1e6", "`1000`", "number of spectral bins"),
    KEY("range", LIST, "two frequencies", "automatic", "limits of the spectrum"),
    MAPS("directions", MAP, NULL, "one bin", "bins in escape direction about an axis, of equal solid angle",
         &SCHEMA_DIRECTIONS),
    QUANTITY("reference_b", DIMENSION_VELOCITY, "b of the gas, or its mean if it varies",
             "Doppler parameter that defines x"),
    KEY("populations", VALUE, "true or false", "`true`; `false` for `lte` and `given`",
        "fractional populations of all levels in each cell: 8 bytes per cell and level"),
};
SCHEMA_TABLE(OUTPUT, "output", "what goes into the result", OUTPUT);

static const struct schema_key DIRECTIONS[] = {
    KEY("mu", VALUE, "whole number, 1 to 1000", "`1`", "bins in the cosine of the angle to the axis"),
    KEY("phi", VALUE, "whole number, 1 to 1000", "`1`", "bins in azimuth"),
    WORDS("axis", AXES, "`z`", "polar axis of the bins"),
};
SCHEMA_TABLE(DIRECTIONS, "output.directions", "bins in escape direction", DIRECTIONS);

/* In the order of enum until_quantity. */
static const char *const QUANTITIES[] = {"f_esc",
                                         "scatterings_per_packet",
                                         "mean_path",
                                         "median_abs_x",
                                         "absorbed",
                                         "lower_quartile_abs_x",
                                         "upper_quartile_abs_x",
                                         NULL};

static const struct schema_key UNTIL[] = {
    WORDS("quantity", QUANTITIES, "required", "whose error counts"),
    KEY("error", VALUE, "number, 1e-6 to 1, or per cent", "required",
        "relative standard error, such as `0.001` or `0.1 %`"),
};
SCHEMA_TABLE(UNTIL, "run.until", "when a run has enough packets", UNTIL);

static const struct schema_key RUN[] = {
    KEY("packets", VALUE, "whole number, 1 to 1e13", "`1e5`",
        "number of photon packets. 0, for unscattered light only, needs `cameras` or a molecule; a `gas` source "
        "requires 0"),
    KEY("seed", VALUE, "whole number, 0 to 2^63 - 1", "`1`", "of the random-number generator"),
    KEY("threads", VALUE, "whole number, 0 to 4096", "`0`", "CPU threads; 0 = all"),
    KEY("batches", VALUE, "whole number, 2 to 1024", "`32`",
        "independent groups of packets, which give the errors; no more than packets"),
    KEY("max_steps", VALUE, "whole number, 1000 to 4e9", "`4e9`",
        "draws of random numbers (about two per scattering) and crossings of faces after which a packet is given up as "
        "stuck; more would repeat its random numbers"),
    KEY("memory", VALUE, "number of GiB", "80 % of free memory",
        "memory a run may use, on the device and on the host; larger images are made in several passes"),
    KEY("device", VALUE, "`auto`, `cpu`, `cuda`, `cuda:N`, `cuda:all` or a list such as `cuda:0,1`", "`auto`",
        "where packets are followed; `auto` takes a GPU if there is one"),
    WORDS("precision", PRECISIONS, "`mixed`", "single precision with double sums, or double throughout"),
    WORDS("scheduling", SCHEDULINGS, "`queue`",
          "packets from a queue, or dealt out in advance (slower; for timing comparisons)"),
    KEY("deterministic", VALUE, "true or false", "`false`",
        "make images and level populations repeatable to the last bit, as all else always is: light toward cameras is "
        "summed in double, and populations are found on the CPU; not with `until`"),
    MAPS("until", MAP, NULL, "none",
         "stop when a number of the summary is known well enough, at `packets` at the latest", &SCHEMA_UNTIL),
    KEY("checkpoint", VALUE, "minutes, 0.001 to 1e6, or `auto`", "`auto`",
        "time between statepoints, from which `linerad run --resume` continues; `auto`: ten minutes, or longer, so "
        "that "
        "they take less than 2 % of the time"),
};
SCHEMA_TABLE(RUN, "run", "how many packets, and on which device", RUN);
