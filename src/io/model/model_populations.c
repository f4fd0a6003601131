/* Section `populations`: how the levels of the molecule are found; a word, or a map with the options of the method. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "io/hdf5/hdf5_field.h"
#include "io/model/model_field.h"
#include "io/model/model_file.h"
#include "io/model/model_limits.h"
#include "io/model/model_populations.h"
#include "io/model/model_value.h"
#include "model/field.h"
#include "model/species.h"

/* ---- Given populations ---- */

static enum lr_status check_shape(const struct reader *r, const struct yaml_node *node, const struct hdf5_array *array)
{
    int shape[MESH_MAX_RANK];
    const int axes = mesh_field_shape(&r->model->mesh, shape), rank = axes + 1;
    int64_t expected[MESH_MAX_RANK + 1];
    for (int i = 0; i < axes; i++)
        expected[i] = shape[i];
    expected[axes] = r->model->species->molecule.n_level;
    struct hdf5_shapes shapes;
    if (hdf5_array_has_shape(array, expected, rank, &shapes))
        return LR_OK;
    return READER_FAIL(r, node, "the %s has shape %s; the mesh and levels need %s", array->label, shapes.found,
                       shapes.wanted);
}

/* Normalise the fractions of one cell; *sum is their original sum. */
static const char *normalise(double *x, int n, bool densities, double *sum)
{
    const double tolerance = 1e-3;
    *sum = 0.0;
    for (int i = 0; i < n; i++) {
        if (!(x[i] >= 0.0 && isfinite(x[i])))
            return "a population is negative or not finite";
        *sum += x[i];
    }
    if (!densities && fabs(*sum - 1.0) > tolerance)
        return "the fractions do not add up to 1";
    for (int i = 0; i < n; i++)
        x[i] = *sum > 0.0 ? x[i] / *sum : 1.0 / n;
    return NULL;
}

static enum lr_status take_populations(const struct reader *r, const struct yaml_node *node, bool densities)
{
    struct species *species = r->model->species;
    const int64_t n_cell = mesh_cell_count(&r->model->mesh);
    const int n_level = species->molecule.n_level;
    if (densities)
        LR_TRY(field_expand(r->ctx, &species->density, n_cell));
    for (int64_t cell = 0; cell < n_cell; cell++) {
        double sum = 0.0;
        const char *fault = normalise(species->populations + cell * n_level, n_level, densities, &sum);
        if (fault) {
            char place[64];
            name_cell(&r->model->mesh, cell, place, sizeof place);
            return READER_FAIL(r, node, "%s at cell %s (sum %.6g)", fault, place, sum);
        }
        if (densities)
            species->density.values[cell] = sum;
    }
    if (densities && field_is_zero(&species->density, n_cell))
        return READER_FAIL(r, node, "all densities are zero");
    return LR_OK;
}

static enum lr_status read_given(const struct reader *r, const struct yaml_node *map)
{
    struct species *species = r->model->species;
    const int64_t n_value = mesh_cell_count(&r->model->mesh) * species->molecule.n_level;
    struct hdf5_array *array = NULL;
    if (map->kind != YAML_MAP)
        return READER_FAIL(r, map, "'given' needs a file: {method: given, file: F, dataset: D}");
    LR_TRY(open_dataset(r, map, "dataset", NULL, &array));
    const struct yaml_node *node = yaml_find(map, array->memory ? "array" : "dataset");
    bool densities = false;
    enum lr_status status = check_shape(r, node, array);
    if (status == LR_OK)
        status = lr_allocate(r->ctx, (size_t)n_value, sizeof(double), &species->populations);
    if (status == LR_OK)
        status = read_dataset(r, node, array, -1, species->populations);
    if (status == LR_OK) {
        double one = 1.0;
        densities = array->has_units && units_convert(r->units, array->units, DIMENSION_NONE, &one, 1) != UNIT_OK;
        status = convert_dataset(r, node, array, densities ? DIMENSION_DENSITY : DIMENSION_NONE, species->populations,
                                 n_value);
    }
    hdf5_array_close(array);
    LR_TRY(status);
    return take_populations(r, node, densities);
}

/* ---- Choices ---- */

/* Keys that do not apply to the method are errors. */
static enum lr_status refuse_foreign_keys(const struct reader *r, const struct yaml_node *map,
                                          enum population_method method)
{
    enum { LTE = 1, GIVEN = 2, TWO = 4, LVG = 8, ESCAPE = 16, EQUILIBRIUM = 32 };
    const struct {
        const char *key;
        int methods;
    } rules[] = {{"background", TWO | LVG | ESCAPE | EQUILIBRIUM},
                 {"error", TWO | LVG | ESCAPE | EQUILIBRIUM},
                 {"iterations", TWO | LVG | ESCAPE | EQUILIBRIUM},
                 {"directions", EQUILIBRIUM},
                 {"noise", EQUILIBRIUM},
                 {"overlap", LVG | ESCAPE | EQUILIBRIUM},
                 {"inversion_limit", LVG | ESCAPE | EQUILIBRIUM},
                 {"length", ESCAPE},
                 {"file", GIVEN},
                 {"dataset", GIVEN},
                 {"array", GIVEN}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct yaml_node *node = yaml_find(map, rules[i].key);
        if (node && !(rules[i].methods >> method & 1))
            return yaml_fail_key(r->ctx, r->tree, node, "this does not apply to 'populations: %s'",
                                 population_method_name(method));
    }
    return LR_OK;
}

/* Every method that finds populations has stimulated emission in its rates. The opacity must be consistent with them,
 * or the line would absorb photons that the level populations do not account for. */
static enum lr_status check_stimulated(const struct reader *r, const struct yaml_node *node,
                                       const struct population_options *options)
{
    if (options->stimulated || !population_method_collides(options->method))
        return LR_OK;
    return READER_FAIL(r, node,
                       "'populations: %s' always includes stimulated emission, in both rates and opacities; remove "
                       "this, or use 'lte' or 'given'",
                       population_method_name(options->method));
}

/* Rays must end somewhere, and their number must suit the mesh. */
static enum lr_status check_equilibrium(const struct reader *r, const struct yaml_node *directions)
{
    const struct mesh *mesh = &r->model->mesh;
    const struct yaml_node *given = yaml_find(yaml_find(r->tree->root, "mesh"), "faces");
    const struct yaml_node *faces = given ? given : r->snapshot_node;
    const struct direction_range range = population_directions(mesh);
    const int number = r->model->species->options.directions;
    bool open = false;
    for (int face = 0; face < N_FACE; face++) {
        open = open || mesh->face[face] == FACE_OPEN;
        if (mesh->face[face] == FACE_REFLECTING)
            return READER_FAIL(r, faces,
                               "'populations: equilibrium' needs open or periodic faces, not reflecting ones");
    }
    if (!open)
        return READER_FAIL(r, faces,
                           "the mesh is periodic along all axes, so rays have no starting point, which 'populations: "
                           "equilibrium' needs; open one axis");
    if (number != 0 && (number < range.least || number > range.most))
        return READER_FAIL(r, directions, "'%s' must lie between %d and %d on this mesh, or be auto", directions->text,
                           range.least, range.most);
    return LR_OK;
}

static enum lr_status read_choices(const struct reader *r, const struct yaml_node *map,
                                   struct population_options *options)
{
    const struct field_rule length_rule = {DIMENSION_LENGTH, false, LEAST_CELL, MOST_LENGTH};
    const struct yaml_node *background = yaml_find(map, "background"), *length = yaml_find(map, "length");
    LR_TRY(read_quantity(r, background, DIMENSION_TEMPERATURE, &options->background));
    if (!(options->background >= 0.0))
        return READER_FAIL(r, background, "'%s' is negative", background->text);
    LR_TRY(read_number(r, yaml_find(map, "error"), 1e-12, 1.0, &options->error));
    LR_TRY(read_int(r, yaml_find(map, "iterations"), 1, 1000000, &options->iterations));
    LR_TRY(read_auto(r, yaml_find(map, "directions"), 1000000, &options->directions));
    LR_TRY(read_number(r, yaml_find(map, "noise"), 1e-6, 1.0, &options->noise));
    LR_TRY(read_bool(r, yaml_find(map, "overlap"), &options->overlap));
    LR_TRY(read_number(r, yaml_find(map, "inversion_limit"), 0.0, 100.0, &options->inversion_limit));
    if (length)
        return read_field(r, length, &length_rule, &options->length);
    if (options->method == POPULATIONS_ESCAPE)
        return yaml_fail_key(r->ctx, r->tree, map,
                             "the key 'length' is missing: the size of the region that photons escape from");
    return LR_OK;
}

enum lr_status read_populations(const struct reader *r, const struct yaml_node *node)
{
    struct species *species = r->model->species;
    int method = POPULATIONS_LTE;
    if (!species && node)
        return yaml_fail_key(r->ctx, r->tree, node,
                             "only a molecule has levels; write for example line: {molecule: co.dat}");
    if (!species)
        return LR_OK;
    struct population_options *options = &species->options;
    *options = (struct population_options){.stimulated = true,
                                           .background = 2.725,
                                           .error = 1e-3,
                                           .noise = 0.01,
                                           .iterations = 200,
                                           .overlap = true,
                                           .inversion_limit = 1.0};
    if (!node)
        return LR_OK;
    const struct yaml_node *map = node->kind == YAML_MAP ? node : NULL;
    if (map) {
        LR_TRY(READER_KEYS(r, map, &SCHEMA_POPULATIONS));
        LR_TRY(read_bool(r, yaml_find(map, "stimulated"), &options->stimulated));
    }
    LR_TRY(read_choice(r, map ? yaml_find(map, "method") : node, &SCHEMA_POPULATIONS, "method", &method));
    options->method = (enum population_method)method;
    LR_TRY(refuse_foreign_keys(r, map, options->method));
    LR_TRY(check_stimulated(r, yaml_find(map, "stimulated"), options));
    if (options->method == POPULATIONS_GIVEN)
        return read_given(r, node);
    if (map)
        LR_TRY(read_choices(r, map, options));
    if (options->method == POPULATIONS_EQUILIBRIUM)
        return check_equilibrium(r, yaml_find(map, "directions"));
    if (map)
        return LR_OK;
    if (options->method == POPULATIONS_ESCAPE)
        return READER_FAIL(r, node, "'escape-probability' needs a length: {method: escape-probability, length: 1 pc}");
    return LR_OK;
}
