#include "model/model_print.h"

#include <string.h>

#include "model/species.h"

/* FNV-1a with words of 64 bits instead of bytes, and a shift that lets high bits count. The last word may be filled up
 * with zeros. */
static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const char *from = data;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, from + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 32;
    }
    return hash;
}

static uint64_t mix_field(uint64_t hash, const struct field *field, int64_t n_cell)
{
    hash = mix(hash, &field->constant, sizeof field->constant);
    return field->values ? mix(hash, field->values, (size_t)n_cell * sizeof(double)) : hash;
}

static uint64_t mix_doubles(uint64_t hash, const double *values, int64_t n)
{
    return values ? mix(hash, values, (size_t)n * sizeof *values) : hash;
}

static uint64_t mix_mesh(uint64_t hash, const struct mesh *mesh)
{
    const struct mesh_tree *tree = &mesh->tree;
    hash = mix(hash, mesh->n, sizeof mesh->n);
    for (int axis = 0; axis < 3; axis++)
        hash = mix_doubles(hash, mesh->edge[axis], mesh->n[axis] + 1);
    if (mesh->kind != MESH_AMR)
        return hash;
    hash = mix(hash, tree->root, sizeof tree->root);
    hash = mix(hash, tree->brick, sizeof tree->brick);
    hash = mix_doubles(hash, tree->lower, 3);
    hash = mix_doubles(hash, tree->size, 3);
    hash = mix(hash, tree->key, (size_t)tree->n_brick * sizeof *tree->key);
    return mix(hash, tree->link, (size_t)tree->n_link * sizeof *tree->link);
}

static uint64_t mix_source(uint64_t hash, const struct source *source, int64_t n_cell)
{
    hash = mix_doubles(hash, &source->luminosity, 1);
    hash = mix_field(hash, &source->emissivity, n_cell);
    hash = mix_doubles(hash, source->spectrum.shift, source->spectrum.n_table);
    hash = mix_doubles(hash, source->spectrum.density, source->spectrum.n_table);
    hash = mix_doubles(hash, source->packet_position, 3 * source->n_packet);
    hash = mix_doubles(hash, source->packet_direction, 3 * source->n_packet);
    hash = mix_doubles(hash, source->packet_shift, source->n_packet);
    return mix_doubles(hash, source->packet_weight, source->n_packet);
}

static uint64_t mix_molecule(uint64_t hash, const struct molecule *molecule)
{
    hash = mix_doubles(hash, &molecule->mass, 1);
    for (int i = 0; i < molecule->n_level; i++) {
        hash = mix_doubles(hash, &molecule->level[i].energy, 1);
        hash = mix_doubles(hash, &molecule->level[i].weight, 1);
    }
    for (int i = 0; i < molecule->n_line; i++) {
        const struct transition *line = &molecule->line[i];
        const double numbers[] = {line->upper, line->lower, line->a_ul, line->frequency};
        hash = mix(hash, numbers, sizeof numbers);
    }
    for (int i = 0; i < molecule->n_partner; i++) {
        const struct partner *partner = &molecule->partner[i];
        const size_t n = (size_t)partner->n_transition;
        const double numbers[] = {partner->collider, partner->n_temperature, partner->n_transition};
        hash = mix(hash, numbers, sizeof numbers);
        hash = mix_doubles(hash, partner->temperature, partner->n_temperature);
        hash = mix(hash, partner->upper, n * sizeof *partner->upper);
        hash = mix(hash, partner->lower, n * sizeof *partner->lower);
        hash = mix_doubles(hash, partner->rate, (int64_t)n * partner->n_temperature);
    }
    return hash;
}

static uint64_t mix_species(uint64_t hash, const struct species *species, int64_t n_cell)
{
    hash = mix_molecule(hash, &species->molecule);
    hash = mix_field(hash, &species->temperature, n_cell);
    hash = mix_field(hash, &species->density, n_cell);
    for (int c = 0; c < N_COLLIDER; c++)
        if (species->given[c])
            hash = mix_field(hash, &species->collider[c], n_cell);
    hash = mix_field(hash, &species->dust_temperature, n_cell);
    hash = mix_field(hash, &species->options.length, n_cell);
    return mix_doubles(hash, species->populations, n_cell * species->molecule.n_level);
}

uint64_t model_print(const lr_model *model)
{
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const struct medium *gas = &model->medium;
    const struct field *fields[] = {&gas->alpha0,      &gas->b,           &gas->a,     &gas->velocity[0],
                                    &gas->velocity[1], &gas->velocity[2], &gas->kappa, &gas->eps};
    uint64_t hash = mix(14695981039346656037u, &n_cell, sizeof n_cell);
    hash = mix(hash, &model->line.nu0, sizeof model->line.nu0);
    for (int m = 1; m < model->group.n; m++)
        hash = mix_doubles(hash, &model->group.member[m].offset, 1);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        hash = mix_field(hash, fields[i], n_cell);
    hash = mix_mesh(hash, &model->mesh);
    for (int s = 0; s < model->n_source; s++)
        hash = mix_source(hash, &model->source[s], n_cell);
    return model->species ? mix_species(hash, model->species, n_cell) : hash;
}
