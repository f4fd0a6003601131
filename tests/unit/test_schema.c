/* The schema of model files: its tables are complete and refer to each other; its words are those of the corresponding
 * enums; what it says about defaults, units and kinds of values is what the readers do. */
#define _POSIX_C_SOURCE 200809L
#include "snapshot_fixture.h"

#include "io/schema/schema.h"
#include "linerad_tools.h"
#include "model/species.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

/* ---- The tables ---- */

/* One line of plain text, with backticks in pairs, and nothing that would end a cell of a Markdown table. */
static void check_text(const char *where, const char *text)
{
    int backticks = 0;
    if (!text || !*text || strchr(text, '\n') || strchr(text, '|') || text[strlen(text) - 1] == ' ')
        fail_msg("%s: '%s' is not a line of text", where, text ? text : "NULL");
    for (const char *c = text; *c; c++)
        backticks += *c == '`';
    if (backticks % 2)
        fail_msg("%s: a backtick in '%s' has no partner", where, text);
}

static void check_key(const struct schema_key *key)
{
    check_text(key->name, key->name);
    check_text(key->name, key->fallback);
    check_text(key->name, key->meaning);
    if (key->holds)
        check_text(key->name, key->holds);
    assert_true(key->holds || key->dimension != DIMENSION_NONE || key->words || key->map[0]);
    assert_true(key->kinds != 0 && key->kinds < 8);
    assert_true(!key->words || key->kinds & 1u << YAML_SCALAR);
    assert_true(!key->map[0] || key->kinds & (1u << YAML_MAP | 1u << YAML_LIST));
    assert_null(key->map[SCHEMA_MOST_MAPS - 1]);
    int n = 0;
    for (int i = 0; key->map[i]; i++)
        n += key->map[i]->n_key;
    assert_in_range(n, 0, SCHEMA_MOST_KEYS);
}

static void tables_are_whole(void **state)
{
    (void)state;
    int n_table = 0, n_key = 0;
    for (const struct schema *const *schema = SCHEMA_ALL; *schema; schema++, n_table++) {
        check_text("name", (*schema)->name);
        check_text((*schema)->name, (*schema)->meaning);
        for (const struct schema *const *other = SCHEMA_ALL; other != schema; other++)
            assert_string_not_equal((*schema)->name, (*other)->name);
        assert_true((*schema)->n_key > 0);
        for (int i = 0; i < (*schema)->n_key; i++, n_key++) {
            check_key(&(*schema)->key[i]);
            assert_ptr_equal(schema_find(*schema, (*schema)->key[i].name), &(*schema)->key[i]); /* no second one */
        }
    }
    assert_in_range(n_table, 50, SCHEMA_MOST_TABLES);
    assert_true(n_key > 200);
}

static int index_of(const struct schema *schema)
{
    for (int i = 0; SCHEMA_ALL[i]; i++)
        if (SCHEMA_ALL[i] == schema)
            return i;
    return -1;
}

static void visit(const struct schema *schema, bool *seen)
{
    const int index = index_of(schema);
    if (schema == &SCHEMA_NOTHING)
        return;
    if (index < 0)
        fail_msg("the table '%s' is not in the list", schema->name);
    if (seen[index])
        return;
    seen[index] = true;
    for (int i = 0; i < schema->n_key; i++)
        for (int m = 0; schema->key[i].map[m]; m++)
            visit(schema->key[i].map[m], seen);
}

static void every_table_can_be_reached(void **state)
{
    (void)state;
    bool seen[SCHEMA_MOST_TABLES] = {false};
    visit(&SCHEMA_MODEL, seen);
    for (int i = 0; SCHEMA_ALL[i]; i++)
        if (!seen[i])
            fail_msg("nothing leads from a model to '%s'", SCHEMA_ALL[i]->name);
}

static void words_follow_their_enums(void **state)
{
    (void)state;
    const char *const *methods = schema_find(&SCHEMA_POPULATIONS, "method")->words;
    for (int i = 0; i < N_POPULATION_METHOD; i++)
        assert_string_equal(methods[i], population_method_name((enum population_method)i));
    assert_null(methods[N_POPULATION_METHOD]);
    assert_int_equal(SCHEMA_COLLIDERS.n_key, N_COLLIDER - 1);
    assert_int_equal(SCHEMA_COLLIDER_RATES.n_key, N_COLLIDER - 1);
    for (int i = 0; i < N_COLLIDER - 1; i++) {
        const char *name = collider_name((enum collider)(i + 1));
        assert_string_equal(SCHEMA_COLLIDERS.key[i].name, name);
        assert_string_equal(SCHEMA_COLLIDER_RATES.key[i].name, name);
        assert_string_equal(SCHEMA_COLLIDER_RATES.key[i].words[i], name);
    }
}

/* ---- Models in which keys are tried ---- */

static const char CELLS[] = "mesh: {cells: [4, 2, 2], size: [2 pc, 1 pc, 1 pc]}\n"
                            "line: lya\n"
                            "medium: {temperature: 1e4 K, density: 1e-3 cm^-3}\n"
                            "sources:\n"
                            "  - point: {position: [0 pc, 0 pc, 0 pc]}\n"
                            "    spectrum: {gaussian: {sigma: 1}}\n"
                            "    luminosity: 1 photon/s\n"
                            "channels: {number: 4, range: [-5 km/s, 5 km/s]}\n"
                            "cameras: [{theta: 60 deg}]\n";
static const char GAS[] = "mesh: {cells: [4, 2, 2], size: [2 pc, 1 pc, 1 pc]}\n"
                          "line: {molecule: " LR_SOURCE_DIR "/examples/data/hco+_demo.dat}\n"
                          "medium: {temperature: 20 K, abundance: 1e-9, colliders: {H2: 1e4 cm^-3}}\n"
                          "channels: {number: 4, range: [-1 km/s, 1 km/s]}\n"
                          "cameras: [{direction: +z}]\n";
static const char FILE_NAME[] = "test_schema.h5";
static const char SNAPSHOT[] = "snapshot: {file: test_schema.h5}\n"
                               "line: {molecule: co}\n"
                               "medium: {abundance: 1e-4}\n";

struct trial {
    const struct schema *schema;
    const char *path; /* of the mapping, with its dot */
    const char *text;
    const char *setting; /* required to make it valid; or NULL */
};

#define PLANE "sources=[{plane: {axis: x, at: 0 pc}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]"
#define REFINED "mesh.refine=[{box: {min: [0 pc, 0 pc, 0 pc], max: [1 pc, 1 pc, 1 pc]}, levels: 1}]"
#define SHELLS "mesh={shells: 4, outer: 1 pc}"
#define ROTOR "line={rotor: {b: 57.6 GHz, dipole: 0.11 debye, mass: 28 u}}"
#define MEMBER "line={group: [{frequency: 1e15 Hz, einstein_a: 1e8 1/s, degeneracies: [2, 4], mass: 12 u}]}"
#define CUTOFF "medium.abundance={cutoff: {value: 1e-4, freeze_density: 1e3 cm^-3}}"

static const struct trial TRIALS[] = {
    {&SCHEMA_MODEL, "", GAS, NULL},
    {&SCHEMA_MESH, "mesh.", CELLS, REFINED},
    {&SCHEMA_MESH, "mesh.", CELLS, SHELLS},
    {&SCHEMA_FACES, "mesh.faces.", CELLS, NULL},
    {&SCHEMA_SNAPSHOT, "snapshot.", SNAPSHOT, NULL},
    {&SCHEMA_ROLL, "snapshot.roll.", SNAPSHOT, NULL},
    {&SCHEMA_MOLECULE, "line.", GAS, NULL},
    {&SCHEMA_ROTOR, "line.rotor.", GAS, ROTOR},
    {&SCHEMA_GROUP, "line.", CELLS, "line={group: lyman_alpha_fine}"},
    {&SCHEMA_GROUP_LINE, "line.group.0.", CELLS, MEMBER},
    {&SCHEMA_MEDIUM, "medium.", CELLS, NULL},
    {&SCHEMA_MEDIUM, "medium.", GAS, NULL},
    {&SCHEMA_ABUNDANCE_CUTOFF, "medium.abundance.cutoff.", GAS, CUTOFF},
    {&SCHEMA_POINT, "sources.0.point.", CELLS, NULL},
    {&SCHEMA_PLANE, "sources.0.plane.", CELLS, PLANE},
    {&SCHEMA_GAUSSIAN, "sources.0.spectrum.gaussian.", CELLS, NULL},
    {&SCHEMA_POPULATIONS, "populations.", GAS, NULL},
    {&SCHEMA_POPULATIONS, "populations.", GAS, "populations.method=equilibrium"},
    {&SCHEMA_PHYSICS, "physics.", CELLS, NULL},
    {&SCHEMA_PHYSICS, "physics.", CELLS, "physics.acceleration=skip"},
    {&SCHEMA_OUTPUT, "output.", CELLS, NULL},
    {&SCHEMA_DIRECTIONS, "output.directions.", CELLS, NULL},
    {&SCHEMA_CHANNELS, "channels.", CELLS, NULL},
    {&SCHEMA_CAMERA, "cameras.0.", CELLS, NULL},
    {&SCHEMA_IMAGE, "image.", CELLS, NULL},
    {&SCHEMA_BEAM, "image.beam.", CELLS, "image={distance: 1 kpc, beam: {major: 5 arcmin, minor: 4 arcmin}}"},
    {&SCHEMA_SKY, "image.position.", CELLS, "image.position={ra: 1 deg, dec: 1 deg}"},
    {&SCHEMA_SUBCELL, "image.subcell.", CELLS, NULL},
    {&SCHEMA_RUN, "run.", CELLS, NULL},
    {&SCHEMA_UNTIL, "run.until.", CELLS, "run.until={quantity: f_esc, error: 1 %}"},
};
enum { N_TRIAL = sizeof TRIALS / sizeof *TRIALS, LONGEST = 256 };

/* 2 x 2 x 2 cells with a mass density and a temperature, periodic. */
static void write_snapshot(void)
{
    const hsize_t three = 3, shape[3] = {2, 2, 2};
    const double rho[8] = {1e-21, 2e-21, 3e-21, 4e-21, 5e-21, 6e-21, 7e-21, 8e-21},
                 kelvin[8] = {10, 11, 12, 13, 14, 15, 16, 17};
    start_file(FILE_NAME, "uniform");
    write_dataset(FILE_NAME, false, "mesh/lower", H5T_IEEE_F64LE, 1, &three, (const double[]){0, 0, 0}, "pc");
    write_dataset(FILE_NAME, false, "mesh/upper", H5T_IEEE_F64LE, 1, &three, (const double[]){1, 1, 1}, "pc");
    write_dataset(FILE_NAME, false, "mesh/cells", H5T_STD_I32LE, 1, &three, (const double[]){2, 2, 2}, NULL);
    set_text(FILE_NAME, "mesh", "faces", "periodic", false);
    write_dataset(FILE_NAME, false, "fields/gas_density", H5T_IEEE_F64LE, 3, shape, rho, "g cm-3");
    write_dataset(FILE_NAME, false, "fields/temperature", H5T_IEEE_F64LE, 3, shape, kelvin, "K");
}

/* The model with the setting of the trial and, if there is a key, one more, `path.key=value`. */
static enum lr_status try(struct fixture *f, const struct trial *trial, const char *key, const char *value)
{
    char setting[LONGEST];
    const char *settings[3] = {NULL};
    int n = 0;
    snprintf(setting, sizeof setting, "%s%s=%s", trial->path, key ? key : "", value ? value : "");
    if (trial->setting)
        settings[n++] = trial->setting;
    if (key)
        settings[n++] = setting;
    return load_text(f, trial->text, settings);
}

/* ---- Defaults ---- */

static void write_field(FILE *out, const struct field *field, int64_t n_cell)
{
    for (int64_t cell = 0; cell < n_cell; cell++)
        fprintf(out, " %.17g", field_at(field, cell));
}

static void write_camera(FILE *out, const struct camera *c)
{
    fprintf(out, "\n%s %d %d %d %d %g %g", c->name, (int)c->kind, c->pixels[0], c->pixels[1], c->rays, c->field[0],
            c->field[1]);
    for (int d = 0; d < 3; d++)
        fprintf(out, " %.12f %.12f %.12f %g %g", c->toward[d], c->right[d], c->up[d], c->centre[d], c->position[d]);
}

static void write_image(FILE *out, const struct image_options *i)
{
    fprintf(out, "\n%d %g %d %d %d %d %g %g %g %g %g %g %g %d%d%d%d%d%d%d%d", (int)i->method, i->background,
            i->subtract, i->step_velocity, i->step_source, (int)i->unit, i->beam[0], i->beam[1], i->beam[2],
            i->distance, i->sky[0], i->sky[1], i->velocity, i->moments, i->peak, i->spectrum, i->optical_depth,
            i->report, i->column, i->errors, i->emissivity);
}

static void write_species(FILE *out, const struct species *s, int64_t n_cell)
{
    const struct population_options *o = &s->options;
    fprintf(out, "\n%s %d %d %d %g %g %d %g %d %d %g %d", s->name, s->line, (int)o->method, o->stimulated,
            o->background, o->error, o->iterations, o->noise, o->directions, o->overlap, o->inversion_limit,
            s->molecule.n_level);
    for (int i = 0; i < s->molecule.n_level; i++)
        fprintf(out, " %.17g", s->molecule.level[i].energy);
    write_field(out, &s->temperature, n_cell);
    write_field(out, &s->density, n_cell);
}

static void write_rest(FILE *out, const lr_model *m)
{
    const struct physics *p = &m->physics;
    const struct output *o = &m->output;
    const struct run *r = &m->run;
    fprintf(out, "\n%d %d %d %d %d %lld %g", (int)p->redistribution, p->dipole, p->recoil, (int)p->absorption,
            (int)p->acceleration, (long long)p->trials, p->x_crit);
    fprintf(out, "\n%d %d %d %d %g %g %d %d %d %.17g", o->populations, o->fields, o->packets + 2 * o->sums, o->n_bin,
            o->range[0], o->range[1], o->n_mu, o->n_phi, o->axis, m->reference_b);
    fprintf(out, "\n%lld %llu %d %d %g %s %d %d %g %d %g", (long long)r->packets, (unsigned long long)r->seed,
            r->threads, r->batches, r->memory_gib, r->device, (int)r->precision,
            (int)r->scheduling + 2 * r->deterministic, r->checkpoint, (int)r->until, r->until_error);
    fprintf(out, "\n%d %g %g %d", m->channels.n, m->channels.first, m->channels.width, m->channels.samples);
    for (int i = 0; i < m->n_source; i++) {
        const struct source *s = &m->source[i];
        fprintf(out, "\n%d %d %.17g %d %d %.17g %.17g %d %g %g %g %d %g", (int)s->kind, (int)s->light, s->luminosity,
                (int)s->spectrum.kind, s->spectrum.gas_frame, s->spectrum.centre, s->spectrum.width, (int)s->angular,
                s->position[0], s->position[1], s->position[2], s->axis, s->offset);
    }
}

/* Everything that a key of TRIALS can change in a model, as text. */
static char *fingerprint(const lr_model *m)
{
    const int64_t n_cell = mesh_cell_count(&m->mesh);
    const struct field *fields[] = {&m->medium.alpha0, &m->medium.b, &m->medium.a, &m->medium.kappa, &m->medium.eps};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fprintf(out, "%d %d %d %d", (int)m->mesh.kind, m->mesh.n[0], m->mesh.n[1], m->mesh.n[2]);
    for (int face = 0; face < N_FACE; face++)
        fprintf(out, " %d", (int)m->mesh.face[face]);
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; m->mesh.edge[axis] && i <= m->mesh.n[axis]; i++)
            fprintf(out, " %.17g", m->mesh.edge[axis][i]);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        write_field(out, fields[i], n_cell);
    for (int d = 0; d < 3; d++)
        write_field(out, &m->medium.velocity[d], n_cell);
    if (m->species)
        write_species(out, m->species, n_cell);
    for (int i = 0; i < m->n_camera; i++)
        write_camera(out, &m->camera[i]);
    write_image(out, &m->image);
    write_rest(out, m);
    fclose(out);
    return text;
}

/* The default as it can be written, if it is only `like this`; otherwise false. */
static bool literal_default(const struct schema_key *key, char value[LONGEST])
{
    const size_t length = strlen(key->fallback);
    if (length < 3 || key->fallback[0] != '`' || strchr(key->fallback + 1, '`') != key->fallback + length - 1)
        return false;
    snprintf(value, LONGEST, "%.*s", (int)length - 2, key->fallback + 1);
    return true;
}

/* A value other than the default, for keys that have few. */
static const char *other_value(const struct schema_key *key, const char *value)
{
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        return value[0] == 't' ? "false" : "true";
    return key->words ? key->words[strcmp(key->words[0], value) == 0] : NULL;
}

/* Writing out a default changes nothing; another value does, or is an error. False if the model has no such key. */
static bool default_holds(struct fixture *f, const struct trial *trial, const struct schema_key *key, const char *value)
{
    if (try(f, trial, NULL, NULL) != LR_OK)
        fail_msg("%s: %s", trial->path, lr_last_error(f->ctx));
    char *without = fingerprint(f->model);
    const bool loads = try(f, trial, key->name, value) == LR_OK;
    if (loads) {
        char *with = fingerprint(f->model);
        if (strcmp(with, without) != 0)
            fail_msg("%s%s: '%s' is not the default\n%s\n%s", trial->path, key->name, value, without, with);
        free(with);
    }
    const char *other = other_value(key, value);
    if (loads && other && try(f, trial, key->name, other) == LR_OK) {
        char *changed = fingerprint(f->model);
        if (strcmp(changed, without) == 0)
            fail_msg("%s%s: '%s' does nothing", trial->path, key->name, other);
        free(changed);
    }
    free(without);
    return loads;
}

static void defaults_are_true(void **state)
{
    struct fixture *f = *state;
    int n = 0;
    write_snapshot();
    for (const struct schema *const *schema = SCHEMA_ALL; *schema; schema++)
        for (int i = 0; i < (*schema)->n_key; i++) {
            const struct schema_key *key = &(*schema)->key[i];
            char value[LONGEST];
            bool held = false;
            if (*schema == &SCHEMA_SCALAR || !literal_default(key, value)) /* a scalar of Athena++: test_athdf.c */
                continue;
            for (int t = 0; t < N_TRIAL && !held; t++)
                held = TRIALS[t].schema == *schema && default_holds(f, &TRIALS[t], key, value);
            if (!held)
                fail_msg("%s.%s: the default could not be tried: %s", (*schema)->name, key->name,
                         lr_last_error(f->ctx));
            n++;
        }
    assert_true(n > 60);
}

/* ---- Units and kinds ---- */

static void units_are_those_of_the_readers(void **state)
{
    struct fixture *f = *state;
    int confirmed = 0;
    write_snapshot();
    for (int t = 0; t < N_TRIAL; t++)
        for (int i = 0; i < TRIALS[t].schema->n_key; i++) {
            const struct schema_key *key = &TRIALS[t].schema->key[i];
            if (key->dimension == DIMENSION_NONE)
                continue;
            assert_int_not_equal(try(f, &TRIALS[t], key->name, "1 mol2"), LR_OK);
            const char *message = strstr(lr_last_error(f->ctx), "'1 mol2' is not ");
            if (!message) /* conflicts with another key of this model */
                continue;
            message += strlen("'1 mol2' is not ");
            const char *name = units_dimension_name(key->dimension);
            if (strncmp(message, name, strlen(name)) != 0)
                fail_msg("%s%s: the schema has %s, its reader %s", TRIALS[t].path, key->name, name, message);
            confirmed++;
        }
    assert_true(confirmed >= 25);
}

static void kinds_are_those_of_the_readers(void **state)
{
    struct fixture *f = *state;
    const char *const values[] = {"qqq", "[[1, 2], [3, 4]]", "{qqq: 1}"};
    write_snapshot();
    for (int t = 0; t < N_TRIAL; t++)
        for (int i = 0; i < TRIALS[t].schema->n_key; i++)
            for (int kind = YAML_SCALAR; kind <= YAML_MAP; kind++) {
                const struct schema_key *key = &TRIALS[t].schema->key[i];
                if (!(key->kinds >> kind & 1) && try(f, &TRIALS[t], key->name, values[kind]) == LR_OK)
                    fail_msg("%s%s: '%s' was accepted", TRIALS[t].path, key->name, values[kind]);
            }
}

/* ---- As text ---- */

static void keys_are_printed(void **state)
{
    struct fixture *f = *state;
    char *text = NULL;
    assert_int_equal(lr_model_keys(f->ctx, "image.subcell", LR_MARKDOWN, &text), LR_OK);
    assert_string_equal(text, "| key | type | default | meaning |\n|---|---|---|---|\n"
                              "| `velocity` | true or false | `true` | of the gas |\n"
                              "| `source` | true or false | `true` | function |\n");
    lr_text_free(text);
    assert_int_equal(lr_model_keys(f->ctx, "mesh.inner", LR_TERMINAL, &text), LR_OK);
    assert_non_null(strstr(text, "  inner    length, e.g. pc             0 pc                inner radius"));
    assert_null(strchr(text, '`'));
    lr_text_free(text);
    for (const struct schema *const *schema = SCHEMA_ALL; *schema; schema++) {
        assert_int_equal(lr_model_keys(f->ctx, (*schema)->name, LR_TERMINAL, &text), LR_OK);
        for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
            if (strcspn(line, "\n") > 120)
                fail_msg("%s: a line is too long: %.130s", (*schema)->name, line);
        lr_text_free(text);
    }
}

static void names_that_are_none(void **state)
{
    struct fixture *f = *state;
    char *text = NULL;
    assert_int_equal(lr_model_keys(f->ctx, "imgae", LR_TERMINAL, &text), LR_ERROR_INPUT);
    assert_null(text);
    assert_string_equal(lr_last_error(f->ctx), "a model has no section 'imgae'; did you mean 'image'?");
    assert_int_equal(lr_model_keys(f->ctx, "weather", LR_TERMINAL, &text), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(f->ctx), "it has mesh, snapshot, line, lines, medium"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_whole),
                                       cmocka_unit_test(every_table_can_be_reached),
                                       cmocka_unit_test(words_follow_their_enums),
                                       RUN(defaults_are_true),
                                       RUN(units_are_those_of_the_readers),
                                       RUN(kinds_are_those_of_the_readers),
                                       RUN(keys_are_printed),
                                       RUN(names_that_are_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
