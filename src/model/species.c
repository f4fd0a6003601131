#include "model/species.h"

#include <stdlib.h>
#include <string.h>

#include "model/field.h"

static const char *const METHOD_NAMES[N_POPULATION_METHOD] = {
    "lte", "given", "two-level", "lvg", "escape-probability", "equilibrium"};

const char *population_method_name(enum population_method method)
{
    return METHOD_NAMES[method];
}

bool population_method_collides(enum population_method method)
{
    return method != POPULATIONS_LTE && method != POPULATIONS_GIVEN;
}

static const enum collider HYDROGEN[] = {COLLIDER_H2, COLLIDER_PARA_H2, COLLIDER_ORTHO_H2};

double species_h2_at(const struct species *species, int64_t cell)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += species->given[HYDROGEN[i]] ? field_at(&species->collider[HYDROGEN[i]], cell) : 0.0;
    return sum;
}

bool species_has_h2(const struct species *species)
{
    return species->given[COLLIDER_H2] || species->given[COLLIDER_PARA_H2] || species->given[COLLIDER_ORTHO_H2];
}

bool species_h2_varies(const struct species *species)
{
    bool varies = false;
    for (int i = 0; i < 3; i++)
        varies |= species->given[HYDROGEN[i]] && species->collider[HYDROGEN[i]].values;
    return varies;
}

struct direction_range population_directions(const struct mesh *mesh)
{
    if (mesh->kind == MESH_SHELLS)
        return (struct direction_range){1, 64};
    return mesh_layer_axis(mesh) >= 0 ? (struct direction_range){2, MOST_LAYER_DIRECTIONS}
                                      : (struct direction_range){6, 100000};
}

void species_free(struct species *species)
{
    if (!species)
        return;
    molecule_free(&species->molecule);
    field_free(&species->temperature);
    field_free(&species->density);
    for (int c = 0; c < N_COLLIDER; c++)
        field_free(&species->collider[c]);
    field_free(&species->dust_temperature);
    field_free(&species->options.length);
    free(species->populations);
    free(species);
}

void populations_free(struct populations *populations)
{
    free(populations->x);
    free(populations->residual);
    free(populations->step);
    *populations = (struct populations){0};
}

void population_result_free(struct population_result *result)
{
    if (!result)
        return;
    populations_free(&result->found);
    free(result->level);
    free(result->excitation);
    free(result);
}

static void append(char *text, size_t size, const char *label)
{
    size_t used = strlen(text);
    for (; *label && used + 1 < size; label++)
        if (*label != ' ' && *label != '"')
            text[used++] = *label;
    text[used] = '\0';
}

void species_line_label(const struct molecule *molecule, int line, char *text, size_t size)
{
    text[0] = '\0';
    append(text, size, molecule->level[molecule->line[line].upper].label);
    append(text, size, "-");
    append(text, size, molecule->level[molecule->line[line].lower].label);
}
