/* Keys of the section `sources`: kinds of sources and their spectra. */
#include "io/schema/schema_rows.h"

static const char *const AXES[] = {"x", "y", "z", NULL};
static const char *const OF_POINT[] = {"isotropic", "beam", NULL};
static const char *const OF_PLANE[] = {"isotropic", "lambertian", "beam", NULL}; /* in the order of enum angular_kind */
static const char *const FRAMES[] = {"mesh", "gas", NULL};

#define KIND "one of eight kinds"

/* The kinds in the order of enum source_kind, then those whose emission follows from the gas, or from a temperature. */
static const struct schema_key SOURCE[] = {
    MAPS("point", MAP, NULL, KIND, "at one point", &SCHEMA_POINT),
    MAPS("plane", MAP, NULL, KIND, "across the whole mesh", &SCHEMA_PLANE),
    MAPS("volume", MAP, NULL, KIND, "throughout the gas", &SCHEMA_VOLUME),
    MAPS("external", MAP, NULL, KIND, "isotropic radiation through all open faces", &SCHEMA_NOTHING),
    MAPS("packets", MAP, NULL, KIND, "a list of photon packets; no spectrum or strength", &SCHEMA_PACKETS),
    MAPS("thermal", MAP, NULL, KIND, "photons created by collisions in the gas; no spectrum or strength",
         &SCHEMA_THERMAL),
    MAPS("gas", MAP, NULL, KIND,
         "emission from the levels of a molecule, n x_u A_ul; no spectrum or strength, and `run.packets: 0`",
         &SCHEMA_NOTHING),
    MAPS("star", MAP, NULL, KIND, "an unresolved blackbody, in addition to `gas`; no spectrum or strength",
         &SCHEMA_STAR),
    MAPS("spectrum", VALUE | MAP, "mapping, or `local`", "required", "for the first four kinds", &SCHEMA_SPECTRUM),
    KEY("luminosity", VALUE, "photon rate or luminosity, e.g. `photon/s` or `erg/s`", "one of three strengths",
        "for the first four kinds; energy is converted to photons at line centre"),
    KEY("flux", VALUE, "photon or energy flux, e.g. `photon/s/cm^2`", "one of three strengths",
        "`plane`: per unit cross-section of the mesh, both sides together; `external`: per unit area of open face"),
    KEY("intensity", VALUE, "photon or energy intensity, e.g. `photon/s/cm^2/sr`", "one of three strengths",
        "`external`: `L = pi I A` over the open faces, integrated over the spectrum, not per Hz"),
};
SCHEMA_TABLE(SOURCE, "sources", "one source of photons: its kind and, for most kinds, a spectrum and a strength",
             SOURCE);

static const struct schema_key POINT[] = {
    KEY("position", LIST, "three lengths", "required", "inside the mesh; with shells, their centre"),
    WORDS("emission", OF_POINT, "`isotropic`", "in all directions, or along one"),
    KEY("direction", VALUE | LIST, "direction", "required with `beam`", "`+x`, `-x`, `+y`, ... or three numbers"),
};
SCHEMA_TABLE(POINT, "sources.point", "a point", POINT);

static const struct schema_key PLANE[] = {
    WORDS("axis", AXES, "required", "normal to the plane"),
    QUANTITY("at", DIMENSION_LENGTH, "required", "where along that axis"),
    WORDS("emission", OF_PLANE, "`isotropic`",
          "equal on both sides, by the cosine law on one side, or along one direction"),
    KEY("direction", VALUE | LIST, "direction", "required unless `isotropic`",
        "for `lambertian`, the side: `+x` or `-x` if the axis is x"),
};
SCHEMA_TABLE(PLANE, "sources.plane", "a plane", PLANE);

static const struct schema_key VOLUME[] = {
    MAPS("emissivity", VALUE | MAP, "field in any unit", "uniform",
         "only its shape matters; the strength sets the scale", FIELD_MAPS),
};
SCHEMA_TABLE(VOLUME, "sources.volume", "emission throughout the gas", VOLUME);

#define COLUMN(key, says)                                                                                              \
    MAPS(key, MAP, "`{file, dataset}`", "the dataset of this name in `file`", says, &SCHEMA_DATASET, &SCHEMA_ARRAY)
static const struct schema_key PACKETS[] = {
    KEY("file", VALUE, "file name", "none", "HDF5 with all four as datasets"),
    COLUMN("position", "(n, 3), lengths"),
    COLUMN("direction", "(n, 3), non-zero; need not be unit vectors"),
    COLUMN("velocity", "(n), radio convention, positive = red, frame of the mesh"),
    COLUMN("weight", "(n), photon rates; packets are drawn in proportion"),
};
SCHEMA_TABLE(PACKETS, "sources.packets", "a list of photon packets", PACKETS);

static const struct schema_key STAR[] = {
    KEY("position", LIST, "three lengths", "required", "inside the mesh; with shells, their centre"),
    QUANTITY(
        "radius", DIMENSION_LENGTH, "required",
        "at most half the width of its cell; on shells the inner radius or, if that is zero, half the first shell"),
    QUANTITY("temperature", DIMENSION_TEMPERATURE, "required", "blackbody temperature"),
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
    MAPS("gaussian", MAP, NULL, "one of five", "a Gaussian", &SCHEMA_GAUSSIAN),
    MAPS("local", MAP, NULL, "one of five", "the Voigt profile of the emitting cell", &SCHEMA_NOTHING),
    MAPS("band", MAP, NULL, "one of five", "flat", &SCHEMA_BAND),
    MAPS("table", MAP, NULL, "one of five", "photons per unit frequency, interpolated linearly",
         &SCHEMA_SPECTRUM_TABLE),
    WORDS("frame", FRAMES, "`mesh`, but `gas` for `volume` and `local`",
          "rest frame of the frequencies: the mesh, or the gas where the photon is emitted"),
};
SCHEMA_TABLE(SPECTRUM, "sources.spectrum", "the spectrum of a source", SPECTRUM);

static const struct schema_key GAUSSIAN[] = {
    KEY("centre", VALUE, "frequency", "`0`", "line centre"),
    KEY("sigma", VALUE, "width", "required, or `fwhm`", "dispersion; a thermal line has 1/sqrt(2) Doppler units"),
    KEY("fwhm", VALUE, "width", "none", "full width at half maximum"),
};
SCHEMA_TABLE(GAUSSIAN, "sources.spectrum.gaussian", "a Gaussian", GAUSSIAN);

static const struct schema_key BAND[] = {
    KEY("from", VALUE, "frequency", "required", "one end"),
    KEY("to", VALUE, "frequency", "required", "the other end"),
};
SCHEMA_TABLE(BAND, "sources.spectrum.band", "a flat band", BAND);

static const struct schema_key SPECTRUM_TABLE[] = {
    KEY("file", VALUE, "file name", "lists", "HDF5 with two datasets, instead of lists"),
    KEY("shift", VALUE | LIST, "frequencies, or name", "required; with `file` the dataset `shift`",
        "monotonic; the `units` of a dataset are those of a velocity or a frequency, or none for Doppler units"),
    KEY("density", VALUE | LIST, "numbers, or name", "required; with `file` the dataset `density`",
        "photons per unit frequency, on any scale"),
};
SCHEMA_TABLE(SPECTRUM_TABLE, "sources.spectrum.table", "a spectrum from a table", SPECTRUM_TABLE);
