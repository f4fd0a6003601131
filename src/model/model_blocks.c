#include "model/model_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "model/species.h"

/* Arrays of so many bytes and more are not copied. */
static const size_t LARGE = 65536;
enum { ALIGNMENT = 64 };

/* Structures that own blocks in turn, or texts, are copied, whatever their size. */
enum block_kind { BLOCK_NUMBERS, BLOCK_STRUCTURES, BLOCK_TEXT };

/* `where` is the address of the pointer to a block of `bytes` bytes; those of a text are counted. */
typedef void visit_fn(void *user, enum block_kind kind, void *where, size_t bytes);

static void *load(const void *where)
{
    void *pointer;
    memcpy(&pointer, where, sizeof pointer);
    return pointer;
}

static void store(void *where, const void *pointer)
{
    memcpy(where, &pointer, sizeof pointer);
}

/* ---- every block that a model owns ---- */

struct visitor {
    visit_fn *visit;
    void *user;
    size_t cell_bytes; /* of a field */
};

static void numbers(const struct visitor *v, void *where, size_t n, size_t size)
{
    if (load(where))
        v->visit(v->user, BLOCK_NUMBERS, where, n * size);
}

static void structures(const struct visitor *v, void *where, size_t n, size_t size)
{
    if (load(where))
        v->visit(v->user, BLOCK_STRUCTURES, where, n * size);
}

static void text(const struct visitor *v, char **where)
{
    if (*where)
        v->visit(v->user, BLOCK_TEXT, where, 0);
}

static void field(const struct visitor *v, struct field *f)
{
    numbers(v, &f->values, 1, v->cell_bytes);
}

static void visit_mesh(const struct visitor *v, struct mesh *mesh)
{
    for (int axis = 0; axis < mesh_axis_count(mesh); axis++)
        numbers(v, &mesh->edge[axis], (size_t)mesh->n[axis] + 1, sizeof(double));
    numbers(v, &mesh->tree.key, (size_t)mesh->tree.n_brick, sizeof *mesh->tree.key);
    numbers(v, &mesh->tree.link, (size_t)mesh->tree.n_link, sizeof *mesh->tree.link);
}

static void visit_medium(const struct visitor *v, struct medium *medium)
{
    field(v, &medium->alpha0);
    field(v, &medium->b);
    field(v, &medium->a);
    for (int axis = 0; axis < 3; axis++)
        field(v, &medium->velocity[axis]);
    field(v, &medium->kappa);
    field(v, &medium->eps);
}

static void visit_molecule(const struct visitor *v, struct molecule *molecule)
{
    structures(v, &molecule->level, (size_t)molecule->n_level, sizeof *molecule->level);
    structures(v, &molecule->line, (size_t)molecule->n_line, sizeof *molecule->line);
    structures(v, &molecule->partner, (size_t)molecule->n_partner, sizeof *molecule->partner);
    for (int p = 0; molecule->partner && p < molecule->n_partner; p++) {
        struct partner *partner = &molecule->partner[p];
        const size_t n = (size_t)partner->n_transition, n_temperature = (size_t)partner->n_temperature;
        numbers(v, &partner->temperature, n_temperature, sizeof(double));
        numbers(v, &partner->upper, n, sizeof(int));
        numbers(v, &partner->lower, n, sizeof(int));
        numbers(v, &partner->rate, n * n_temperature, sizeof(double));
    }
}

static void visit_species(const struct visitor *v, struct species *species)
{
    visit_molecule(v, &species->molecule);
    field(v, &species->temperature);
    field(v, &species->density);
    for (int c = 0; c < N_COLLIDER; c++)
        field(v, &species->collider[c]);
    field(v, &species->dust_temperature);
    field(v, &species->options.length);
    numbers(v, &species->populations, (size_t)species->molecule.n_level, v->cell_bytes);
}

static void visit_source(const struct visitor *v, struct source *source)
{
    const size_t n = (size_t)source->n_packet, n_table = (size_t)source->spectrum.n_table;
    numbers(v, &source->spectrum.shift, n_table, sizeof(double));
    numbers(v, &source->spectrum.density, n_table, sizeof(double));
    field(v, &source->emissivity);
    numbers(v, &source->packet_position, 3 * n, sizeof(double));
    numbers(v, &source->packet_direction, 3 * n, sizeof(double));
    numbers(v, &source->packet_shift, n, sizeof(double));
    numbers(v, &source->packet_weight, n, sizeof(double));
}

/* In an order that depends on the model alone. What a block contains is visited after it, through its pointer. */
static void visit_blocks(lr_model *model, visit_fn *visit, void *user)
{
    const struct visitor v = {visit, user, (size_t)mesh_cell_count(&model->mesh) * sizeof(double)};
    text(&v, &model->path);
    text(&v, &model->text);
    text(&v, &model->resolved);
    text(&v, &model->snapshot);
    visit_mesh(&v, &model->mesh);
    visit_medium(&v, &model->medium);
    structures(&v, &model->species, 1, sizeof *model->species);
    if (model->species)
        visit_species(&v, model->species);
    structures(&v, &model->source, (size_t)model->n_source, sizeof *model->source);
    for (int s = 0; model->source && s < model->n_source; s++)
        visit_source(&v, &model->source[s]);
    structures(&v, &model->camera, (size_t)model->n_camera, sizeof *model->camera);
    structures(&v, &model->group.member, (size_t)model->group.n, sizeof *model->group.member);
}

/* ---- in one piece ---- */

struct header {
    char *memory; /* as the process that wrote it sees it */
    size_t bytes;
    lr_model model;
};

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t bytes_of(enum block_kind kind, const void *block, size_t bytes)
{
    return kind == BLOCK_TEXT ? strlen(block) + 1 : bytes;
}

struct sum {
    size_t bytes;
    bool large;
};

static void add_up(void *user, enum block_kind kind, void *where, size_t bytes)
{
    struct sum *sum = user;
    sum->bytes += aligned(bytes_of(kind, load(where), bytes));
    sum->large = sum->large || (kind == BLOCK_NUMBERS && bytes >= LARGE);
}

int64_t model_blocks_size(lr_model *model)
{
    struct sum sum = {.bytes = aligned(sizeof(struct header))};
    visit_blocks(model, add_up, &sum);
    return sum.large ? (int64_t)sum.bytes : 0;
}

static void lay_out(void *user, enum block_kind kind, void *where, size_t bytes)
{
    char **next = user;
    const size_t n = bytes_of(kind, load(where), bytes);
    memcpy(*next, load(where), n);
    store(where, *next);
    *next += aligned(n);
}

void model_blocks_write(lr_model *model, void *memory)
{
    struct header *header = memory;
    char *next = (char *)memory + aligned(sizeof *header);
    header->memory = memory;
    header->model = *model;
    visit_blocks(&header->model, lay_out, &next);
    header->bytes = (size_t)(next - (char *)memory);
}

struct copying {
    lr_context *ctx;
    const char *from; /* the memory as the pointers have it */
    char *to;         /* ... and here */
    enum lr_status status;
};

static void take(void *user, enum block_kind kind, void *where, size_t bytes)
{
    struct copying *copying = user;
    char *block = copying->to + ((char *)load(where) - copying->from);
    const size_t n = bytes_of(kind, block, bytes);
    if (kind == BLOCK_NUMBERS && n >= LARGE) {
        store(where, block);
        return;
    }
    void *copy = copying->status == LR_OK ? lr_new(copying->ctx, n, 1) : NULL;
    if (copy)
        memcpy(copy, block, n);
    else
        copying->status = LR_ERROR_MEMORY;
    store(where, copy);
}

enum lr_status model_blocks_read(lr_context *ctx, void *memory, lr_model **model)
{
    const struct header *header = memory;
    struct copying copying = {.ctx = ctx, .from = header->memory, .to = memory};
    *model = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof **model, model));
    **model = header->model;
    visit_blocks(*model, take, &copying);
    (*model)->shared.memory = memory;
    if (copying.status != LR_OK) {
        lr_model_free(*model);
        *model = NULL;
    }
    return copying.status;
}

static void forget(void *user, enum block_kind kind, void *where, size_t bytes)
{
    (void)user;
    if (kind == BLOCK_NUMBERS && bytes >= LARGE)
        store(where, NULL);
}

void model_blocks_forget(lr_model *model)
{
    if (model->shared.memory)
        visit_blocks(model, forget, NULL);
}
