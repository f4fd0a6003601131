/* Keys of the section `sources`: kinds of sources and their spectra. */
#include "io/schema/schema_rows.h"

static const char *const AXES[] = {"x", "y", "z", NULL};
static const char *const OF_POINT[] = {"isotropic", "beam", NULL};
static const char *const OF_PLANE[] = {"isotropic", "lambertian", "beam", NULL}; /* in the order of enum angular_kind */
static const char *const FRAMES[] = {"mesh", "gas", NULL};

#define KIND "one of eight kinds"

/* The kinds in the order of enum source_kind, then those whose light follows from the gas, or from a temperature. */
static const struct schema_key SOURCE[] = {
    MAPS("point", MAP, NULL, KIND, "at one place", &SCHEMA_POINT),
    MAPS("plane", MAP, NULL, KIND, "across the whole mesh", &SCHEMA_PLANE),
    MAPS("volume", MAP, NULL, KIND, "in the gas", &SCHEMA_VOLUME),
    MAPS("external", MAP, NULL, KIND, "isotropic radiation through all open faces", &SCHEMA_NOTHING),
    MAPS("packets", MAP, NULL, KIND, "a list of photon packets; it has neither spectrum nor strength", &SCHEMA_PACKETS),
    MAPS("thermal", MAP, NULL, KIND, "photons that collisions create in the gas; neither spectrum nor strength",
         &SCHEMA_THERMAL),
    MAPS("gas", MAP, NULL, KIND,
         "what the levels of a molecule emit, n x_u A_ul; neither spectrum nor strength, and `run.packets: 0`",
         &SCHEMA_NOTHING),
    MAPS("star", MAP, NULL, KIND, "a black body too small to be resolved, next to `gas`; neither spectrum nor strength",
         &SCHEMA_STAR),
    MAPS("spectrum", VALUE | MAP, "mapping, or `local`", "required", "of the first four kinds", &SCHEMA_SPECTRUM),
    KEY("luminosity", VALUE, "photon rate or luminosity, e.g. `photon/s` or `erg/s`", "one of three strengths",
        "of the first four kinds; energies are converted with that of a photon at line centre"),
    KEY("flux", VALUE, "photon or energy flux, e.g. `photon/s/cm^2`", "one of three strengths",
        "`plane`: times the cross-section of the mesh, both sides together; `external`: times the area of open faces"),
    KEY("intensity", VALUE, "photon or energy intensity, e.g. `photon/s/cm^2/sr`", "one of three strengths",
        "`external`: `L = pi I A` over the open faces, integrated over the spectrum, not per Hz"),
};
SCHEMA_TABLE(SOURCE, "sources", "one source of photons: a kind, and of most a spectrum and a strength", SOURCE);

static const struct schema_key POINT[] = {
    KEY("position", LIST, "three lengths", "required", "inside the mesh; of shells their centre"),
    WORDS("emission", OF_POINT, "`isotropic`", "to all sides, or along one direction"),
    KEY("direction", VALUE | LIST, "direction", "required with `beam`", "`+x`, `-x`, `+y`, ... or three numbers"),
};
SCHEMA_TABLE(POINT, "sources.point", "a point", POINT);

static const struct schema_key PLANE[] = {
    WORDS("axis", AXES, "required", "that the plane lies across"),
    QUANTITY("at", DIMENSION_LENGTH, "required", "where along that axis"),
    WORDS("emission", OF_PLANE, "`isotropic`",
          "to both sides alike, by the cosine to one side, or along one direction"),
    KEY("direction", VALUE | LIST, "direction", "required but with `isotropic`",
        "`lambertian`: the side, `+x` or `-x` for the axis x"),
};
SCHEMA_TABLE(PLANE, "sources.plane", "a plane", PLANE);

static const struct schema_key VOLUME[] = {
    MAPS("emissivity", VALUE | MAP, "field of any unit", "uniform",
         "only its shape counts; the strength sets the scale", FIELD_MAPS),
};
SCHEMA_TABLE(VOLUME, "sources.volume", "light from everywhere in the gas", VOLUME);

#define COLUMN(key, says)                                                                                              \
    MAPS(key, MAP, "`{file, dataset}`", "the dataset of this name in `file`", says, &SCHEMA_DATASET, &SCHEMA_ARRAY)
static const struct schema_key PACKETS[] = {
    KEY("file", VALUE, "name of a file", "none", "HDF5 with all four as datasets"),
    COLUMN("position", "(n, 3), lengths"),
    COLUMN("direction", "(n, 3), of any length but zero"),
    COLUMN("velocity", "(n), radio convention, positive = red, frame of the mesh"),
    COLUMN("weight", "(n), photon rates; a run draws in proportion to them"),
};
SCHEMA_TABLE(PACKETS, "sources.packets", "a list of photon packets", PACKETS);

static const struct schema_key STAR[] = {
    KEY("position", LIST, "three lengths", "required", "inside the mesh; of shells their centre"),
    QUANTITY("radius", DIMENSION_LENGTH, "required",
             "at most half of the cell, or of the first shell, that it lies in"),
    QUANTITY("temperature", DIMENSION_TEMPERATURE, "required", "of its black body"),
};
SCHEMA_TABLE(STAR, "sources.star", "a star", STAR);

static const struct schema_key THERMAL[] = {
    FIELD("temperature", DIMENSION_TEMPERATURE, "that of the medium", "of the source function B(T)"),
};
SCHEMA_TABLE(THERMAL, "sources.thermal", "`eps alpha0 H(a, x) B(T)`, eps being `medium.destruction`", THERMAL);

/* ---- Spectra ---- */

/* The kinds in the order of enum spectrum_kind. */
static const struct schema_key SPECTRUM[] = {
    KEY("monochromatic", VALUE, "frequency", "one of five", "all photons at one frequency"),
    MAPS("gaussian", MAP, NULL, "one of five", "a bell curve", &SCHEMA_GAUSSIAN),
    MAPS("local", MAP, NULL, "one of five", "the Voigt profile of the emitting cell", &SCHEMA_NOTHING),
    MAPS("band", MAP, NULL, "one of five", "flat", &SCHEMA_BAND),
    MAPS("table", MAP, NULL, "one of five", "photons per frequency, linear in between", &SCHEMA_SPECTRUM_TABLE),
    WORDS("frame", FRAMES, "`mesh`, but `gas` for `volume` and `local`",
          "what frequencies are relative to: the mesh, or the gas at the place of emission"),
};
SCHEMA_TABLE(SPECTRUM, "sources.spectrum", "the spectrum of a source", SPECTRUM);

static const struct schema_key GAUSSIAN[] = {
    KEY("centre", VALUE, "frequency", "`0`", "of the curve"),
    KEY("sigma", VALUE, "width", "required, or `fwhm`", "dispersion; a thermal line has 1/sqrt(2) Doppler units"),
    KEY("fwhm", VALUE, "width", "none", "full width at half maximum"),
};
SCHEMA_TABLE(GAUSSIAN, "sources.spectrum.gaussian", "a bell curve", GAUSSIAN);

static const struct schema_key BAND[] = {
    KEY("from", VALUE, "frequency", "required", "one end"),
    KEY("to", VALUE, "frequency", "required", "the other end"),
};
SCHEMA_TABLE(BAND, "sources.spectrum.band", "a flat band", BAND);

static const struct schema_key SPECTRUM_TABLE[] = {
    KEY("file", VALUE, "name of a file", "lists", "HDF5 with two datasets, instead of lists"),
    KEY("shift", VALUE | LIST, "frequencies, or name", "required; with `file` the dataset `shift`",
        "in order; a dataset has `units` of a velocity or a frequency, or none for Doppler units"),
    KEY("density", VALUE | LIST, "numbers, or name", "required; with `file` the dataset `density`",
        "photons per frequency, on any scale"),
};
SCHEMA_TABLE(SPECTRUM_TABLE, "sources.spectrum.table", "a spectrum from a table", SPECTRUM_TABLE);
