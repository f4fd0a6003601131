#include "io/model/model_formula.h"

#include <math.h>

#include "base/threads.h"
#include "io/model/formula.h"
#include "io/model/model_field.h"
#include "model/field.h"

/* Where formulas are evaluated: a few cells. */
struct points {
    double value[N_FORMULA_VARIABLE][FORMULA_BLOCK];
};

static void find_point(const struct mesh *mesh, int64_t cell, struct points *points, int i)
{
    int at[3];
    double low[3], high[3], centre[3];
    mesh_cell_place(mesh, cell, at);
    mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
    if (mesh->kind == MESH_SHELLS) {
        points->value[FORMULA_RADIUS][i] = 0.5 * (low[0] + high[0]);
        return;
    }
    for (int d = 0; d < 3; d++)
        centre[d] = points->value[FORMULA_X + d][i] = 0.5 * (low[d] + high[d]);
    const double distance = hypot(centre[0], centre[1]);
    points->value[FORMULA_RADIUS][i] = hypot(distance, centre[2]);
    points->value[FORMULA_DISTANCE][i] = distance;
    points->value[FORMULA_THETA][i] = atan2(distance, centre[2]);
    points->value[FORMULA_PHI][i] = atan2(centre[1], centre[0]);
}

static void evaluate(const struct formula *formula, const struct mesh *mesh, int64_t first, int n, double *values)
{
    struct points points;
    const double *variable[N_FORMULA_VARIABLE];
    for (int v = 0; v < N_FORMULA_VARIABLE; v++)
        variable[v] = points.value[v];
    for (int i = 0; i < n; i++)
        find_point(mesh, first + i, &points, i);
    formula_values(formula, n, variable, values);
}

static enum lr_status read_formula(const struct reader *r, const struct yaml_node *node, const struct field_rule *rule,
                                   struct formula *formula)
{
    char message[512], found[64], wanted[64];
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    if (!formula_read(r->units, node->text, r->model->mesh.kind == MESH_SHELLS, formula, message, sizeof message))
        return READER_FAIL(r, node, "%s", message);
    const struct unit_powers powers = unit_powers_wanted(r->units, rule->dimension);
    if (rule->dimension == DIMENSION_ANY || unit_powers_equal(formula->powers, powers))
        return LR_OK;
    unit_powers_text(formula->powers, found, sizeof found);
    unit_powers_text(powers, wanted, sizeof wanted);
    if (unit_powers_none(powers))
        return READER_FAIL(r, node, "the formula gives a value in %s; expected a plain number", found);
    return READER_FAIL(r, node, "the formula gives %s%s; expected %s (%s)",
                       unit_powers_none(formula->powers) ? "" : "a value in ", found,
                       units_dimension_name(rule->dimension), wanted);
}

static enum lr_status fill(const struct reader *r, const struct yaml_node *node, const struct field_rule *rule,
                           struct field *field)
{
    const struct mesh *mesh = &r->model->mesh;
    const int64_t n_cell = mesh_cell_count(mesh), n_block = (n_cell - 1) / FORMULA_BLOCK + 1;
    struct formula formula;
    LR_TRY(read_formula(r, node, rule, &formula));
    LR_TRY(lr_allocate(r->ctx, (size_t)n_cell, sizeof(double), &field->values));
    double *values = field->values;
#pragma omp parallel for schedule(static) if (n_cell > 65536) num_threads(thread_count(r->model->run.threads))
    for (int64_t block = 0; block < n_block; block++) {
        const int64_t first = block * FORMULA_BLOCK;
        const int n = n_cell - first < FORMULA_BLOCK ? (int)(n_cell - first) : FORMULA_BLOCK;
        evaluate(&formula, mesh, first, n, values + first);
    }
    for (int64_t cell = 0; cell < n_cell; cell++) {
        const char *fault = field_rule_fault(rule, values[cell]);
        if (fault) {
            char place[64];
            name_cell(mesh, cell, place, sizeof place);
            if (!isfinite(values[cell]))
                return READER_FAIL(r, node, "the formula gives no finite number at the centre of cell %s", place);
            return READER_FAIL(r, node, "the value %g of the formula at the centre of cell %s %s", values[cell], place,
                               fault);
        }
    }
    field_compact(field, n_cell);
    return LR_OK;
}

enum lr_status read_field_formula(const struct reader *r, const struct yaml_node *map, const struct field_rule *rule,
                                  int n_field, struct field *field)
{
    const struct yaml_node *node = yaml_find(map, "formula");
    LR_TRY(READER_KEYS(r, map, &SCHEMA_FORMULA));
    if (n_field == 1)
        return fill(r, node, rule, field);
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
    if (node->n_child != n_field)
        return READER_FAIL(r, node, "expected %d formulas, found %d", n_field, node->n_child);
    for (const struct yaml_node *item = node->first; item; item = item->next)
        LR_TRY(fill(r, item, rule, &field[item->index]));
    return LR_OK;
}
