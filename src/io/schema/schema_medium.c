/* Keys of the section `medium`. */
#include "io/schema/schema_rows.h"

static const struct schema_key MEDIUM[] = {
    {.name = "temperature",
     .kinds = VALUE | MAP,
     .dimension = DIMENSION_TEMPERATURE,
     .holds = "field",
     .fallback = "required, or `b`",
     .meaning =
         "of the gas: sets thermal broadening and, for a molecule, LTE and collisions. Or the recipe `{ideal-gas}`",
     .map = {FIELD_MAPS, &SCHEMA_TEMPERATURE}},
    FIELD("b", DIMENSION_VELOCITY, "from `temperature` and `turbulence`",
          "the total Doppler parameter, in place of both; a molecule may also have `temperature`"),
    FIELD("turbulence", DIMENSION_VELOCITY, "`0 km/s`", "added in quadrature: `b^2 = 2 k T / m + turbulence^2`"),
    FIELD("density", DIMENSION_DENSITY, "required, or another of `opacity`, `tau_mean`, `tau_centre`, `abundance`",
          "of the lower level, not of the gas: for `co10`, n(CO, J=0). For a molecule, of all its levels"),
    FIELD("opacity", DIMENSION_INVERSE_LENGTH, "none",
          "line-centre opacity `alpha0`; the cross-section is `alpha0 H(a, x)`"),
    KEY("tau_mean", VALUE, "number, zero or more", "none", "`tau_centre` times sqrt(pi)"),
    MAPS("damping", VALUE | MAP, "field, number, 0 to 10", "from `gamma` and b", "`a = Gamma / (4 pi nu_D)`",
         FIELD_MAPS),
    KEY("tau_centre", VALUE, "number, zero or more", "none",
        "line-centre optical depth `INT alpha0 ds` from the centre of the mesh to its +x face"),
    FIELD("absorption", DIMENSION_INVERSE_LENGTH, "`0 1/pc`",
          "grey absorption, e.g. by dust (no dust scattering): `kappa rho` or `n sigma`"),
    FIELD("upper_density", DIMENSION_DENSITY, "none",
          "of the upper level, for stimulated emission: multiplies the opacity by `1 - g_l n_u / (g_u n_l)`"),
    MAPS("velocity", VALUE | LIST | MAP, "three fields, velocity", "0",
         "bulk velocity: a list of three, three formulas, or a dataset of shape `(3, ...)`; on shells one field, "
         "positive = outward",
         FIELD_MAPS),
    MAPS("destruction", VALUE | MAP, "field, number, 0 to 1, or `{critical_density}`", "`0`",
         "probability eps that a line interaction destroys the photon", FIELD_MAPS, &SCHEMA_DESTRUCTION),
    KEY("tau_absorption", VALUE, "number, zero or more", "none",
        "absorption optical depth from the centre of the mesh to its +x face"),
    MAPS("abundance", VALUE | MAP, "field, number, or a recipe", "none",
         "of a molecule, instead of `density`: relative to the H2 in `colliders`", FIELD_MAPS, &SCHEMA_ABUNDANCE),
    MAPS("colliders", MAP, NULL, "none", "of a molecule: densities of its collision partners", &SCHEMA_COLLIDERS),
    MAPS("collider_rates", MAP, "`{NAME: NAME}`", "none", "use the rates of another collider: `{H: H2}`",
         &SCHEMA_COLLIDER_RATES),
    FIELD("dust_temperature", DIMENSION_TEMPERATURE, "none",
          "with a molecule: the grey absorber also emits, `kappa B(T)` in all channels"),
};
SCHEMA_TABLE(MEDIUM, "medium", "the gas: temperature, density or optical depth, velocity, absorption", MEDIUM);

/* Both in the order of enum collider. */
static const struct schema_key COLLIDERS[] = {
    FIELD("H2", DIMENSION_DENSITY, "none",
          "split into ortho and para by temperature if the molecule has rates for them"),
    FIELD("p-H2", DIMENSION_DENSITY, "none", "para-H2; use with `o-H2`, in place of `H2`"),
    FIELD("o-H2", DIMENSION_DENSITY, "none", "ortho-H2"),
    FIELD("e", DIMENSION_DENSITY, "none", "electrons"),
    FIELD("H", DIMENSION_DENSITY, "none", "atoms"),
    FIELD("He", DIMENSION_DENSITY, "none", "atoms"),
    FIELD("H+", DIMENSION_DENSITY, "none", "protons"),
};
SCHEMA_TABLE(COLLIDERS, "medium.colliders", "collision partners of a molecule", COLLIDERS);

static const char *const COLLIDER_NAMES[] = {"H2", "p-H2", "o-H2", "e", "H", "He", "H+", NULL};
#define RATES(key) WORDS(key, COLLIDER_NAMES, "its own rates", "the collider whose rates it uses")
static const struct schema_key COLLIDER_RATES[] = {RATES("H2"), RATES("p-H2"), RATES("o-H2"), RATES("e"),
                                                   RATES("H"),  RATES("He"),   RATES("H+")};
SCHEMA_TABLE(COLLIDER_RATES, "medium.collider_rates", "colliders that have no rates", COLLIDER_RATES);

static const struct schema_key DESTRUCTION[] = {
    FIELD("critical_density", DIMENSION_DENSITY, "required",
          "n_c = A_ul / k_ul: eps = y / (1 + y), y = n(H2) / n_c (1 - exp(-h nu / k T))"),
};
SCHEMA_TABLE(DESTRUCTION, "medium.destruction", "collisional destruction by H2, for a molecule", DESTRUCTION);

/* ---- Recipes ---- */

static const struct schema_key ABUNDANCE[] = {
    KEY("constant", VALUE, "number, 0 to 1000", "one of three", "the same everywhere"),
    MAPS("cutoff", MAP, NULL, "one of three", "zero where photodissociated, reduced where frozen onto dust",
         &SCHEMA_ABUNDANCE_CUTOFF),
    MAPS("table", MAP, NULL, "one of three", "from a table against the density of H2", &SCHEMA_ABUNDANCE_TABLE),
};
SCHEMA_TABLE(ABUNDANCE, "medium.abundance", "recipes for an abundance relative to H2", ABUNDANCE);

static const struct schema_key ABUNDANCE_CUTOFF[] = {
    KEY("value", VALUE, "number, 0 to 1000", "required", "elsewhere"),
    QUANTITY("below_density", DIMENSION_DENSITY, "no limit", "of H2, below which the abundance is zero"),
    QUANTITY("freeze_density", DIMENSION_DENSITY, "no limit", "of H2, above which the molecule freezes out"),
    QUANTITY("freeze_temperature", DIMENSION_TEMPERATURE, "no limit", "below which it freezes out"),
    KEY("depleted", VALUE, "number, 0 to 1000", "`0`", "where frozen out; if both limits are given, where both hold"),
};
SCHEMA_TABLE(ABUNDANCE_CUTOFF, "medium.abundance.cutoff", "an abundance with limits", ABUNDANCE_CUTOFF);

static const struct schema_key ABUNDANCE_TABLE[] = {
    KEY("file", VALUE, "file name", "lists", "HDF5 with two datasets, instead of lists"),
    KEY("density", VALUE | LIST, "number densities, or name", "required; with `file` the dataset `density`",
        "of H2, above zero, increasing"),
    KEY("abundance", VALUE | LIST, "numbers, or name", "required; with `file` the dataset `abundance`",
        "above zero; interpolated in log-log, constant beyond the ends"),
};
SCHEMA_TABLE(ABUNDANCE_TABLE, "medium.abundance.table", "an abundance from a table", ABUNDANCE_TABLE);

static const struct schema_key TEMPERATURE[] = {
    MAPS("ideal-gas", MAP, NULL, "required", "from the pressure: T = mu m_u P / (k rho)", &SCHEMA_IDEAL_GAS),
};
SCHEMA_TABLE(TEMPERATURE, "medium.temperature", "a recipe for the temperature", TEMPERATURE);

static const struct schema_key IDEAL_GAS[] = {
    KEY("mean_molecular_weight", VALUE, "number of u, 0.1 to 1000", "from `snapshot`", "mean mass per particle, mu"),
    FIELD("pressure", DIMENSION_PRESSURE, "from the snapshot",
          "rho is `gas_density` from the snapshot, or 2.8 u per H2 of the colliders"),
};
SCHEMA_TABLE(IDEAL_GAS, "medium.temperature.ideal-gas", "the temperature of an ideal gas", IDEAL_GAS);
