/* How much memory a model holds: its fields over the mesh, lists of packets and the octree; the rest is small. */
#include "model/model.h"
#include "model/species.h"

/* How many of the fields have a value per cell. */
static int count_varying(const struct field *field, int n)
{
    int n_varying = 0;
    for (int i = 0; i < n; i++)
        n_varying += field[i].values != NULL;
    return n_varying;
}

static int medium_arrays(const struct medium *medium)
{
    return count_varying(&medium->alpha0, 1) + count_varying(&medium->b, 1) + count_varying(&medium->a, 1) +
           count_varying(medium->velocity, 3) + count_varying(&medium->kappa, 1) + count_varying(&medium->eps, 1);
}

static int species_arrays(const struct species *species)
{
    return count_varying(&species->temperature, 1) + count_varying(&species->density, 1) +
           count_varying(species->collider, N_COLLIDER) + count_varying(&species->dust_temperature, 1) +
           count_varying(&species->options.length, 1) + (species->populations ? species->molecule.n_level : 0);
}

double lr_model_memory(const lr_model *model)
{
    enum { NUMBERS_PER_PACKET = 8 };
    const struct mesh_tree *tree = &model->mesh.tree;
    int n_array = medium_arrays(&model->medium) + (model->species ? species_arrays(model->species) : 0);
    double n_packet = 0.0;
    for (int i = 0; i < model->n_source; i++) {
        n_array += count_varying(&model->source[i].emissivity, 1);
        n_packet += (double)model->source[i].n_packet;
    }
    return sizeof(double) * ((double)mesh_cell_count(&model->mesh) * n_array + NUMBERS_PER_PACKET * n_packet) +
           (double)sizeof *tree->key * (double)tree->n_brick + (double)sizeof *tree->link * (double)tree->n_link;
}
