/* Recipes for the abundance X of a molecule relative to H2, from the density n of H2 and the temperature T:
 *   {constant: X}
 *   {cutoff: {value: X, below_density, freeze_density, freeze_temperature, depleted}}: zero below the first density,
 *     where light dissociates the molecule; `depleted` where it freezes out onto dust, above a density and below a
 *     temperature (both, if both are given)
 *   {table: {density: [...], abundance: [...]}}: log X linear in log n, constant beyond the ends. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "io/hdf5/hdf5_field.h"
#include "io/model/model_file.h"
#include "io/model/model_species.h"
#include "io/model/model_value.h"
#include "model/field.h"
#include "model/species.h"

enum recipe_kind { RECIPE_CONSTANT, RECIPE_CUTOFF, RECIPE_TABLE };
enum { MAX_TABLE = 1000000 };

struct recipe {
    enum recipe_kind kind;
    double value, depleted;
    double below_density;                      /* cm^-3 */
    double freeze_density, freeze_temperature; /* cm^-3, K; frozen out above the one and below the other */
    int n;
    double *log_density, *log_abundance;
};

bool is_abundance_recipe(const struct yaml_node *node)
{
    return node->kind == YAML_MAP &&
           (yaml_find(node, "constant") || yaml_find(node, "cutoff") || yaml_find(node, "table"));
}

/* ---- Reading ---- */

static enum lr_status read_limit(const struct reader *r, const struct yaml_node *map, const char *key,
                                 enum dimension dimension, double *value)
{
    const struct yaml_node *node = yaml_find(map, key);
    LR_TRY(read_quantity(r, node, dimension, value));
    return node && !(*value > 0.0) ? READER_FAIL(r, node, "'%s' must be above zero", node->text) : LR_OK;
}

static enum lr_status read_cutoff(const struct reader *r, const struct yaml_node *map, struct recipe *recipe)
{
    const struct yaml_node *value = NULL;
    const bool cold = yaml_find(map, "freeze_temperature") != NULL, dense = yaml_find(map, "freeze_density") != NULL;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_ABUNDANCE_CUTOFF));
    LR_TRY(require_key(r, map, "value", &value));
    LR_TRY(read_number(r, value, 0.0, 1e3, &recipe->value));
    LR_TRY(read_limit(r, map, "below_density", DIMENSION_DENSITY, &recipe->below_density));
    recipe->freeze_density = cold ? 0.0 : HUGE_VAL;
    recipe->freeze_temperature = HUGE_VAL;
    LR_TRY(read_limit(r, map, "freeze_density", DIMENSION_DENSITY, &recipe->freeze_density));
    LR_TRY(read_limit(r, map, "freeze_temperature", DIMENSION_TEMPERATURE, &recipe->freeze_temperature));
    LR_TRY(read_number(r, yaml_find(map, "depleted"), 0.0, 1e3, &recipe->depleted));
    if (!cold && !dense && !yaml_find(map, "below_density"))
        return READER_FAIL(r, map, "no limits; give below_density, freeze_density or freeze_temperature");
    if (!cold && !dense && yaml_find(map, "depleted"))
        return READER_FAIL(r, yaml_find(map, "depleted"), "this needs freeze_density or freeze_temperature");
    if (cold && !r->model->species->temperature.values && !(r->model->species->temperature.constant > 0.0))
        return READER_FAIL(r, yaml_find(map, "freeze_temperature"), "this needs the temperature of the gas");
    return LR_OK;
}

/* A list of values, or a dataset. */
static enum lr_status read_column(const struct reader *r, const struct yaml_node *map, const char *key,
                                  enum dimension dimension, int *n, double **values)
{
    const struct yaml_node *node = yaml_find(map, key);
    if (!yaml_find(map, "file")) {
        LR_TRY(require_key(r, map, key, &node));
        LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
        int i = 0;
        *n = node->n_child;
        LR_TRY(lr_allocate(r->ctx, (size_t)*n, sizeof(double), values));
        for (const struct yaml_node *item = node->first; item; item = item->next)
            LR_TRY(read_quantity(r, item, dimension, &(*values)[i++]));
        return LR_OK;
    }
    struct hdf5_array *array = NULL;
    LR_TRY(open_dataset(r, map, key, key, &array));
    enum lr_status status = array->rank == 1 && array->shape[0] <= MAX_TABLE
                                ? LR_OK
                                : READER_FAIL(r, map, "'%s' must be a one-dimensional dataset", key);
    *n = status == LR_OK ? (int)array->shape[0] : 0;
    if (status == LR_OK)
        status = lr_allocate(r->ctx, (size_t)*n, sizeof(double), values);
    if (status == LR_OK)
        status = read_dataset(r, map, array, -1, *values);
    if (status == LR_OK)
        status = convert_dataset(r, map, array, dimension, *values, *n);
    hdf5_array_close(array);
    return status;
}

static enum lr_status read_table(const struct reader *r, const struct yaml_node *map, struct recipe *recipe)
{
    int n = 0;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_ABUNDANCE_TABLE));
    LR_TRY(read_column(r, map, "density", DIMENSION_DENSITY, &recipe->n, &recipe->log_density));
    LR_TRY(read_column(r, map, "abundance", DIMENSION_NONE, &n, &recipe->log_abundance));
    if (n != recipe->n || n < 1)
        return READER_FAIL(r, map, "%d densities but %d abundances; expected equal numbers", recipe->n, n);
    for (int i = 0; i < n; i++) {
        recipe->log_density[i] = log(recipe->log_density[i]);
        recipe->log_abundance[i] = log(recipe->log_abundance[i]);
        if (!isfinite(recipe->log_density[i]) || !isfinite(recipe->log_abundance[i]))
            return READER_FAIL(r, map, "entry %d of the table: density and abundance must be above zero", i);
        if (i > 0 && !(recipe->log_density[i] > recipe->log_density[i - 1]))
            return READER_FAIL(r, map, "the densities of the table do not increase from %d to %d", i - 1, i);
    }
    return LR_OK;
}

static enum lr_status read_recipe(const struct reader *r, const struct yaml_node *map, struct recipe *recipe)
{
    LR_TRY(READER_KEYS(r, map, &SCHEMA_ABUNDANCE));
    if (map->n_child != 1)
        return READER_FAIL(r, map, "give one of constant, cutoff and table");
    if (yaml_find(map, "cutoff")) {
        recipe->kind = RECIPE_CUTOFF;
        return read_cutoff(r, map->first, recipe);
    }
    if (yaml_find(map, "table")) {
        recipe->kind = RECIPE_TABLE;
        return read_table(r, map->first, recipe);
    }
    return read_number(r, map->first, 0.0, 1e3, &recipe->value);
}

/* ---- Applying ---- */

static double look_up(const struct recipe *recipe, double log_density)
{
    const double *x = recipe->log_density, *y = recipe->log_abundance;
    int low = 0, high = recipe->n - 1;
    if (!(log_density > x[0]))
        return exp(y[0]);
    if (log_density >= x[high])
        return exp(y[high]);
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (x[middle] <= log_density)
            low = middle;
        else
            high = middle;
    }
    return exp(y[low] + (y[high] - y[low]) * (log_density - x[low]) / (x[high] - x[low]));
}

static double abundance_of(const struct recipe *recipe, double density, double temperature)
{
    switch (recipe->kind) {
    case RECIPE_CUTOFF:
        if (density < recipe->below_density)
            return 0.0;
        return density > recipe->freeze_density && temperature < recipe->freeze_temperature ? recipe->depleted
                                                                                            : recipe->value;
    case RECIPE_TABLE:
        return look_up(recipe, log(density));
    case RECIPE_CONSTANT:
        break;
    }
    return recipe->value;
}

enum lr_status read_abundance_recipe(const struct reader *r, const struct yaml_node *node, struct field *density)
{
    const struct species *species = r->model->species;
    const int64_t n_cell = mesh_cell_count(&r->model->mesh);
    struct recipe recipe = {.kind = RECIPE_CONSTANT};
    enum lr_status status = read_recipe(r, node, &recipe);
    const bool many = species_h2_varies(species) || (recipe.kind == RECIPE_CUTOFF && species->temperature.values);
    if (status == LR_OK && many)
        status = field_expand(r->ctx, density, n_cell);
    for (int64_t cell = 0; cell < (many ? n_cell : 1) && status == LR_OK; cell++) {
        const double h2 = species_h2_at(species, cell);
        *(many ? &density->values[cell] : &density->constant) =
            h2 * abundance_of(&recipe, h2, field_at(&species->temperature, cell));
    }
    free(recipe.log_density);
    free(recipe.log_abundance);
    return status;
}
