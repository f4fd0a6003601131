/* Sections `physics`, `output` and `run`: choices with defaults. */
#include "io/model/model_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/device_list.h"
#include "io/model/model_shift.h"
#include "io/model/model_value.h"
#include "model/field.h"
#include "model/medium.h"
#include "model/species.h"

/* Core skipping changes only the redistribution in the core, and with it how long photons stay in the gas. */
static enum lr_status read_skip(const struct reader *r, const struct yaml_node *node, struct physics *physics)
{
    const struct medium *medium = &r->model->medium;
    const struct species *species = r->model->species;
    const struct yaml_node *skip = yaml_find(node, "acceleration"), *x_crit = yaml_find(node, "x_crit");
    const int64_t n_cell = mesh_cell_count(&r->model->mesh);
    if (physics->acceleration != ACCELERATION_SKIP)
        return x_crit ? yaml_fail_key(r->ctx, r->tree, x_crit, "this needs 'acceleration: skip'") : LR_OK;
    if (physics->redistribution != REDISTRIBUTION_EXACT)
        return READER_FAIL(r, skip, "'skip' needs 'redistribution: exact'");
    if (species && species->options.method == POPULATIONS_TWO_LEVEL)
        return READER_FAIL(
            r, skip,
            "'skip' makes the mean intensity in the gas too low, from which 'populations: two-level' are "
            "found; use 'none'");
    if (!field_is_zero(&medium->kappa, n_cell) || !field_is_zero(&medium->eps, n_cell))
        READER_WARN(r, skip,
                    "with 'skip' photons take paths that are too short, and too few are absorbed, by tens of per cent "
                    "(docs/deep_gas.md)");
    if (x_crit && x_crit->kind == YAML_SCALAR && strcmp(x_crit->text, "auto") == 0)
        return LR_OK;
    return read_number(r, x_crit, 0.01, 1000, &physics->x_crit);
}

enum lr_status read_physics(const struct reader *r, const struct yaml_node *node, struct physics *physics)
{
    *physics = (struct physics){.redistribution = REDISTRIBUTION_EXACT,
                                .absorption = ABSORPTION_CONTINUOUS,
                                .acceleration = ACCELERATION_AUTO,
                                .trials = 65536};
    if (!node)
        return LR_OK;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_PHYSICS));
    /* words of the schema are in the order of their enums */
    int mode = 0, phase = 0, absorption = 0, acceleration = ACCELERATION_AUTO;
    LR_TRY(read_choice(r, yaml_find(node, "redistribution"), &SCHEMA_PHYSICS, "redistribution", &mode));
    LR_TRY(read_choice(r, yaml_find(node, "phase"), &SCHEMA_PHYSICS, "phase", &phase));
    LR_TRY(read_bool(r, yaml_find(node, "recoil"), &physics->recoil));
    LR_TRY(read_choice(r, yaml_find(node, "absorption"), &SCHEMA_PHYSICS, "absorption", &absorption));
    LR_TRY(read_choice(r, yaml_find(node, "acceleration"), &SCHEMA_PHYSICS, "acceleration", &acceleration));
    LR_TRY(read_integer(r, yaml_find(node, "trials"), 1000, 1000000000, &physics->trials));
    physics->redistribution = (enum redistribution)mode;
    physics->dipole = phase == 1;
    physics->absorption = (enum absorption)absorption;
    physics->acceleration = (enum acceleration)acceleration;
    if (physics->redistribution == REDISTRIBUTION_TABLE_CONSTANT && r->model->medium.a.values)
        return READER_FAIL(r, yaml_find(node, "redistribution"),
                           "'table-constant' needs a single damping parameter, but it varies over this mesh; "
                           "use 'exact' or 'table-global', or give one value for medium.damping");
    return read_skip(r, node, physics);
}

enum lr_status read_reference_b(const struct reader *r, const struct yaml_node *output)
{
    double *b = &r->model->reference_b;
    const struct yaml_node *node = yaml_find(output, "reference_b");
    *b = medium_mean_b(&r->model->mesh, &r->model->medium);
    LR_TRY(read_quantity(r, node, DIMENSION_VELOCITY, b));
    if (node && !(*b > 0.0 && *b < LR_LIGHT_SPEED))
        return READER_FAIL(r, node, "'%s' must be above zero and below the speed of light", node->text);
    return LR_OK;
}

static enum lr_status read_directions(const struct reader *r, const struct yaml_node *node, struct output *output)
{
    if (!node)
        return LR_OK;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_DIRECTIONS));
    if (r->model->mesh.kind == MESH_SHELLS)
        return yaml_fail_key(r->ctx, r->tree, node, "a mesh of shells looks the same from all directions; remove this");
    LR_TRY(read_int(r, yaml_find(node, "mu"), 1, 1000, &output->n_mu));
    LR_TRY(read_int(r, yaml_find(node, "phi"), 1, 1000, &output->n_phi));
    return read_choice(r, yaml_find(node, "axis"), &SCHEMA_DIRECTIONS, "axis", &output->axis);
}

enum lr_status read_output(const struct reader *r, const struct yaml_node *node, struct output *output)
{
    const struct species *species = r->model->species;
    *output = (struct output){.fields = true,
                              .populations = species && population_method_collides(species->options.method),
                              .n_bin = 1000,
                              .n_mu = 1,
                              .n_phi = 1,
                              .axis = 2};
    if (!node)
        return LR_OK;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_OUTPUT));
    LR_TRY(read_bool(r, yaml_find(node, "fields"), &output->fields));
    LR_TRY(read_bool(r, yaml_find(node, "packets"), &output->packets));
    LR_TRY(read_bool(r, yaml_find(node, "sums"), &output->sums));
    if (yaml_find(node, "populations") && !species)
        return yaml_fail_key(r->ctx, r->tree, yaml_find(node, "populations"), "this needs a molecule");
    LR_TRY(read_bool(r, yaml_find(node, "populations"), &output->populations));
    LR_TRY(read_int(r, yaml_find(node, "bins"), 1, 1000000, &output->n_bin));
    LR_TRY(read_shift_range(r, shift_scale_of(r->model), yaml_find(node, "range"), output->range));
    return read_directions(r, yaml_find(node, "directions"), output);
}

static enum lr_status read_device(const struct reader *r, const struct yaml_node *node, struct run *run)
{
    struct device_list devices;
    if (!node)
        return LR_OK;
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    const char *text = node->text;
    if (!device_list_read(text, &devices) && strcmp(text, "auto") != 0 && strcmp(text, "cpu") != 0)
        return READER_FAIL(r, node, "'%s' is not one of: auto, cpu, cuda, cuda:N, cuda:all, or a list such as cuda:0,1",
                           text);
    snprintf(run->device, sizeof run->device, "%s", text);
    return LR_OK;
}

/* A number, or a number of per cent. */
static enum lr_status read_share(const struct reader *r, const struct yaml_node *node, double *value)
{
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    char *end = NULL;
    *value = strtod(node->text, &end);
    bool good = end != node->text;
    while (*end == ' ')
        end++;
    if (*end == '%') {
        *value /= 100;
        end++;
    }
    good = good && *end == '\0' && *value >= 1e-6 && *value <= 1;
    return good ? LR_OK
                : READER_FAIL(r, node, "'%s' is not a relative error from 1e-6 to 1, such as 0.001 or 0.1 %%",
                              node->text);
}

static enum lr_status read_until(const struct reader *r, const struct yaml_node *node, struct run *run)
{
    const struct yaml_node *quantity = NULL, *error = NULL;
    int choice = 0;
    if (!node)
        return LR_OK;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_UNTIL));
    LR_TRY(require_key(r, node, "quantity", &quantity));
    LR_TRY(require_key(r, node, "error", &error));
    LR_TRY(read_choice(r, quantity, &SCHEMA_UNTIL, "quantity", &choice));
    run->until = (enum until_quantity)choice;
    return read_share(r, error, &run->until_error);
}

enum lr_status read_run(const struct reader *r, const struct yaml_node *node, struct run *run)
{
    *run =
        (struct run){.packets = 100000, .seed = 1, .batches = 32, .max_steps = TRANSPORT_MOST_STEPS, .device = "auto"};
    if (!node)
        return LR_OK;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_RUN));
    int64_t seed = 1;
    int precision = PRECISION_MIXED, scheduling = SCHEDULING_QUEUE;
    /* Without packets, there may still be images of light that is not scattered, and level populations. */
    const struct yaml_node *root = r->tree->root, *line = yaml_find(root, "line");
    const int64_t least = yaml_find(root, "cameras") || yaml_find(line, "molecule") || yaml_find(line, "rotor") ? 0 : 1;
    LR_TRY(read_integer(r, yaml_find(node, "packets"), least, 10000000000000, &run->packets));
    LR_TRY(read_integer(r, yaml_find(node, "seed"), 0, INT64_MAX, &seed));
    LR_TRY(read_int(r, yaml_find(node, "threads"), 0, 4096, &run->threads));
    LR_TRY(read_int(r, yaml_find(node, "batches"), 2, 1024, &run->batches));
    LR_TRY(read_integer(r, yaml_find(node, "max_steps"), 1000, TRANSPORT_MOST_STEPS, &run->max_steps));
    LR_TRY(read_number(r, yaml_find(node, "memory"), 1e-6, 1e9, &run->memory_gib));
    LR_TRY(read_device(r, yaml_find(node, "device"), run));
    LR_TRY(read_choice(r, yaml_find(node, "precision"), &SCHEMA_RUN, "precision", &precision));
    LR_TRY(read_choice(r, yaml_find(node, "scheduling"), &SCHEMA_RUN, "scheduling", &scheduling));
    LR_TRY(read_until(r, yaml_find(node, "until"), run));
    LR_TRY(read_bool(r, yaml_find(node, "deterministic"), &run->deterministic));
    if (run->until_error > 0 && scheduling == SCHEDULING_STATIC)
        return yaml_fail_key(
            r->ctx, r->tree, yaml_find(node, "until"),
            "the error is looked at on the way, for which packets must come from a queue; remove it, or "
            "'scheduling: static'");
    if (run->deterministic && run->until_error > 0)
        return yaml_fail_key(r->ctx, r->tree, yaml_find(node, "until"),
                             "how many packets that takes depends on time; remove it, or 'deterministic: true'");
    const struct yaml_node *checkpoint = yaml_find(node, "checkpoint");
    if (!checkpoint || checkpoint->kind != YAML_SCALAR || strcmp(checkpoint->text, "auto") != 0)
        LR_TRY(read_number(r, checkpoint, 0.001, 1e6, &run->checkpoint));
    if (run->packets > 0 && run->batches > run->packets)
        run->batches = (int)run->packets;
    run->seed = (uint64_t)seed;
    run->precision = (enum precision)precision;
    run->scheduling = (enum scheduling)scheduling;
    return LR_OK;
}
