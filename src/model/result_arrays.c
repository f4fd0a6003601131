/* A result as named arrays, under the names of the result file (docs/result_format.md). Nothing is copied: strides step
 * through arrays of structures. */
#include <string.h>

#include "base/structure.h"
#include "mesh/amr.h"
#include "model/result.h"

/* Goes through all arrays and keeps the requested one, by name or by place. */
struct listing {
    const struct lr_result *result;
    const char *name; /* or NULL */
    int place, n;
    struct lr_array found;
};

static int64_t type_size(enum lr_type type)
{
    switch (type) {
    case LR_FLOAT32:
    case LR_INT32:
        return 4;
    case LR_FLOAT64:
    case LR_INT64:
        return 8;
    case LR_BOOL:
        break;
    }
    return 1;
}

/* Add an array, unless it has no data. `step` is the distance of its last elements in bytes, 0 = contiguous. */
static void add(struct listing *list, const char *name, const void *data, enum lr_type type, int rank,
                const int64_t *shape, int64_t step, const char *units)
{
    if (!data)
        return;
    const bool wanted = list->name ? strcmp(name, list->name) == 0 : list->n == list->place;
    list->n++;
    if (!wanted)
        return;
    list->found = (struct lr_array){.name = name, .data = data, .type = type, .rank = rank, .units = units};
    int64_t stride = step > 0 ? step : type_size(type);
    for (int i = rank - 1; i >= 0; i--) {
        list->found.shape[i] = shape[i];
        list->found.stride[i] = stride;
        stride *= shape[i];
    }
}

static void add_list(struct listing *list, const char *name, const double *data, int64_t n, const char *units)
{
    add(list, name, data, LR_FLOAT64, 1, &n, 0, units);
}

/* One value per cell and, with n_last > 0, one more axis. */
static void add_field(struct listing *list, const char *name, const void *data, enum lr_type type, int n_last,
                      const char *units)
{
    int axes[MESH_MAX_RANK];
    int64_t shape[MESH_MAX_RANK + 1];
    int rank = mesh_field_shape(&list->result->mesh, axes);
    for (int i = 0; i < rank; i++)
        shape[i] = axes[i];
    if (n_last > 0)
        shape[rank++] = n_last;
    add(list, name, data, type, rank, shape, 0, units);
}

static void list_spectrum(struct listing *list)
{
    const struct lr_result *r = list->result;
    const int64_t n = r->n_bin, face[2] = {N_FACE, n}, direction[3] = {r->n_mu, r->n_phi, n};
    if (n == 0)
        return;
    add_list(list, "spectrum/x_edges", r->x_edge, n + 1, "1");
    add_list(list, "spectrum/total", r->total.value, n, "1/s");
    add_list(list, "spectrum/total_error", r->total.error, n, "1/s");
    add(list, "spectrum/face", r->face.value, LR_FLOAT64, 2, face, 0, "1/s");
    add(list, "spectrum/face_error", r->face.error, LR_FLOAT64, 2, face, 0, "1/s");
    add(list, "spectrum/direction", r->direction.value, LR_FLOAT64, 3, direction, 0, "1/(s sr)");
    add(list, "spectrum/direction_error", r->direction.error, LR_FLOAT64, 3, direction, 0, "1/(s sr)");
}

static void list_mesh(struct listing *list)
{
    static const char *const edges[3] = {"mesh/x_edges", "mesh/y_edges", "mesh/z_edges"};
    const struct mesh *mesh = &list->result->mesh;
    const int64_t three = 3;
    if (mesh->kind == MESH_SHELLS)
        add_list(list, "mesh/r_edges", mesh->edge[0], mesh->n[0] + 1, "cm");
    for (int axis = 0; axis < 3 && mesh->kind == MESH_CARTESIAN; axis++)
        add_list(list, edges[axis], mesh->edge[axis], mesh->n[axis] + 1, "cm");
    if (mesh->kind != MESH_AMR)
        return;
    add_list(list, "mesh/lower", mesh->tree.lower, 3, "cm");
    add_list(list, "mesh/size", mesh->tree.size, 3, "cm");
    add(list, "mesh/root", mesh->tree.root, LR_INT32, 1, &three, 0, "1");
    add(list, "mesh/brick", mesh->tree.brick, LR_INT32, 1, &three, 0, "1");
}

static void list_fields(struct listing *list)
{
    const struct lr_result *r = list->result;
    add_field(list, "fields/mean_intensity", r->mean_intensity.value, LR_FLOAT64, 0, "1/(s cm2 sr)");
    add_field(list, "fields/mean_intensity_error", r->mean_intensity.error, LR_FLOAT64, 0, "1/(s cm2 sr)");
    add_field(list, "fields/scattering_rate", r->scattering_rate.value, LR_FLOAT64, 0, "1/(s cm3)");
    add_field(list, "fields/scattering_rate_error", r->scattering_rate.error, LR_FLOAT64, 0, "1/(s cm3)");
}

static void list_history(struct listing *list, const struct populations *found)
{
    const struct population_step *step = found->step;
    const int64_t n = found->n_step, size = sizeof *step;
    if (n == 0)
        return;
    add(list, "populations/history_change", &step->change, LR_FLOAT64, 1, &n, size, "1");
    add(list, "populations/history_error", &step->error, LR_FLOAT64, 1, &n, size, "1");
    add(list, "populations/history_radius", &step->radius, LR_FLOAT64, 1, &n, size, "1");
    add(list, "populations/history_accelerated", &step->accelerated, LR_BOOL, 1, &n, size, "1");
}

static void list_populations(struct listing *list)
{
    const struct population_result *p = list->result->populations;
    if (!p)
        return;
    const int64_t n = p->n_level, size = sizeof *p->level;
    add_field(list, "populations/fraction", p->found.x, LR_FLOAT64, p->n_level, "1");
    add_field(list, "populations/excitation_temperature", p->excitation, LR_FLOAT64, 0, "K");
    if (p->found.x)
        add_field(list, "populations/residual", p->found.residual, LR_FLOAT32, 0, "1");
    if (p->level) {
        add(list, "populations/level_energy", &p->level->energy, LR_FLOAT64, 1, &n, size, "1/cm");
        add(list, "populations/level_weight", &p->level->weight, LR_FLOAT64, 1, &n, size, "1");
    }
    list_history(list, &p->found);
}

static void list_packets(struct listing *list)
{
    const struct packet_list *p = &list->result->packets;
    const int64_t shape[2] = {p->n, 3};
    if (p->n == 0)
        return;
    add(list, "packets/id", p->id, LR_INT64, 1, shape, 0, "1");
    add(list, "packets/weight", p->weight, LR_FLOAT64, 1, shape, 0, "1/s");
    add(list, "packets/shift", p->shift, LR_FLOAT64, 1, shape, 0, "cm/s");
    add(list, "packets/path", p->path, LR_FLOAT64, 1, shape, 0, "cm");
    add(list, "packets/scatterings", p->scatterings, LR_INT64, 1, shape, 0, "1");
    add(list, "packets/face", p->face, LR_INT32, 1, shape, 0, "1");
    add(list, "packets/position", p->position, LR_FLOAT64, 2, shape, 0, "cm");
    add(list, "packets/direction", p->direction, LR_FLOAT64, 2, shape, 0, "1");
    add(list, "packets/last_scattering", p->last_scattering, LR_FLOAT64, 2, shape, 0, "cm");
}

static void list_arrays(struct listing *list)
{
    list_spectrum(list);
    list_mesh(list);
    list_fields(list);
    list_populations(list);
    list_packets(list);
}

int lr_result_array(const lr_result *result, const char *name, struct lr_array *array)
{
    struct listing list = {.result = result, .name = name};
    list_arrays(&list);
    if (list.found.name)
        structure_give(&list.found, sizeof list.found, array);
    return list.found.name != NULL;
}

const char *lr_result_array_name(const lr_result *result, int index)
{
    struct listing list = {.result = result, .place = index};
    list_arrays(&list);
    return list.found.name;
}

/* ---- texts ---- */

const char *lr_result_text(const lr_result *result, const char *name)
{
    static const char *const mesh_kind[] = {"cartesian", "shells", "amr"};
    const struct population_result *p = result->populations;
    const struct {
        const char *name, *text;
    } texts[] = {{"model", result->model_text},
                 {"model_resolved", result->model_resolved},
                 {"version", result->version},
                 {"date", result->date},
                 {"host", result->host},
                 {"run", result->run},
                 {"cpu", result->cpu},
                 {"mesh", mesh_kind[result->mesh.kind]},
                 {"method", p ? population_method_name(p->method) : NULL},
                 {"molecule", p ? p->molecule : NULL},
                 {"transition", p ? p->transition : NULL}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].name, name) == 0)
            return texts[i].text;
    return NULL;
}

const char *lr_result_level_label(const lr_result *result, int level)
{
    const struct population_result *p = result->populations;
    return p && p->level && level >= 0 && level < p->n_level ? p->level[level].label : NULL;
}

int64_t lr_result_bricks(const lr_result *result, int *level, int *position)
{
    const struct mesh *mesh = &result->mesh;
    int place[3];
    if (mesh->kind != MESH_AMR)
        return 0;
    for (int64_t b = 0; b < mesh->tree.n_brick && (level || position); b++) {
        const int found = amr_brick_place(&mesh->tree, b, place);
        if (level)
            level[b] = found;
        if (position)
            memcpy(position + 3 * b, place, sizeof place);
    }
    return mesh->tree.n_brick;
}
