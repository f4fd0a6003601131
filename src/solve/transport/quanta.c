#include "solve/transport/quanta.h"

#include <math.h>

#include "kernel/tally.h"
#include "model/field.h"
#include "solve/transport/group_job.h"

/* Bounds of a sum, per packet that can add to it. Weights are 1 at most, in a cone 9; the others are usually below a
 * hundredth of these. Packets are dealt to batches only about equally, and more may be added to a run later. */
static const double WEIGHTS = 8, CONES = 128;
static const double PATHS = 4096; /* mean chords */
static const double DEPTHS = 256; /* scatterings per depth at line centre */
static const double LIGHT = 256;  /* photons toward a camera, seen from one cell or pixel */

static double quantum_of(double bound)
{
    int exponent = 0;
    (void)frexp(bound, &exponent);
    return bound > 0 && isfinite(bound) ? ldexp(1, exponent - 52) : 0;
}

/* 4 V / S, the mean of straight paths through a box from all directions; endless axes have no faces. */
static double box_chord(const struct mesh *mesh, const double width[3])
{
    double faces = 0;
    for (int axis = 0; axis < 3; axis++)
        faces += mesh_is_endless(mesh, axis) ? 0 : 1 / width[axis];
    return faces > 0 ? 2 / faces : width[0];
}

static double shell_chord(double inner, double outer)
{
    return 4.0 / 3 * (pow(outer, 3) - pow(inner, 3)) / (outer * outer + inner * inner);
}

/* The largest of all cells, or more. */
static double cell_chord(const struct mesh *mesh)
{
    double width[3], smallest;
    if (mesh->kind == MESH_SHELLS) {
        const double *edge = mesh->edge[0];
        double largest = edge[0] > 0 ? shell_chord(0, edge[0]) : 0;
        for (int i = 0; i < mesh->n[0]; i++)
            largest = fmax(largest, shell_chord(edge[i], edge[i + 1]));
        return largest;
    }
    for (int axis = 0; axis < 3; axis++)
        mesh_widths(mesh, axis, &smallest, &width[axis]);
    return box_chord(mesh, width);
}

static double mesh_chord(const struct mesh *mesh)
{
    const double size[3] = {mesh_size(mesh, 0), mesh_size(mesh, 1), mesh_size(mesh, 2)};
    return mesh->kind == MESH_SHELLS ? shell_chord(0, mesh->edge[0][mesh->n[0]]) : box_chord(mesh, size);
}

/* At line centre, across the mesh. */
static double largest_depth(const lr_model *model)
{
    double depth = 0;
    for (int axis = 0; axis < (model->mesh.kind == MESH_SHELLS ? 1 : 3); axis++)
        depth = fmax(depth, field_largest_depth(&model->medium.alpha0, &model->mesh, axis));
    return depth;
}

/* Where all cells are thin, the light of a packet from a cell is its chance to scatter there. */
static double light_of_packet(const lr_model *model, const struct transport_job *job, double chord)
{
    return job->cameras.escaped
               ? 1
               : fmin(group_job_strength(&job->group) * field_measure(&model->medium.alpha0, &model->mesh).high * chord,
                      1);
}

void quanta_choose(const lr_model *model, struct transport_job *job)
{
    const double length = code_length(&model->mesh), chord = cell_chord(&model->mesh);
    const double packets = (double)job->n_packet, lines = group_job_strength(&job->group);
    const double in_batch = ceil(packets / job->tally.n_batch), in_group = ceil(packets / job->tally.n_group);
    job->tally.quanta = (struct sum_quanta){
        .weight = quantum_of(WEIGHTS * in_batch),
        .path = quantum_of(PATHS * in_batch * mesh_chord(&model->mesh) / length),
        .scatterings = quantum_of(DEPTHS * in_batch * (1 + lines * largest_depth(model))),
        .cone = quantum_of(CONES * in_batch),
        .length = quantum_of(PATHS * in_group * chord / length),
        .depth = quantum_of(DEPTHS * in_group * lines * chord / length),
    };
    if (job->cameras.n > 0)
        job->tally.quanta.light =
            quantum_of(LIGHT * ceil(packets / job->cameras.n_group) * light_of_packet(model, job, chord));
}

/* ---- after the run ---- */

/* Terms are rarely negative, and sums grow from 0 to what they are: none was larger on the way. */
static bool exceeds(const double *sums, int64_t n, int64_t step, double quantum)
{
    const double most = ldexp(quantum, 53);
    for (int64_t i = 0; quantum > 0 && i < n; i++)
        if (fabs(sums[i * step]) > most)
            return true;
    return false;
}

static bool fields_exceed(const struct transport_job *job, const double *fields)
{
    enum { PIECE = 1024 };
    const struct sum_quanta *quanta = &job->tally.quanta;
    struct transport_cell cells[PIECE];
    if (exceeds(fields, job->tally.n_group * job->n_cell, 2, quanta->length))
        return true;
    for (int64_t first = 0; first < job->n_cell; first += PIECE) {
        const int64_t n = job->n_cell - first < PIECE ? job->n_cell - first : (int64_t)PIECE;
        job->read_cells(job->medium, first, n, cells);
        for (int64_t g = 0; g < job->tally.n_group; g++)
            for (int64_t i = 0; i < n; i++)
                if (exceeds(&fields[2 * (g * job->n_cell + first + i) + 1], 1, 1,
                            quantum_of_depth(quanta, cells[i].alpha0)))
                    return true;
    }
    return false;
}

static bool light_exceeds(const struct transport_job *job, const struct transport_tally *tally)
{
    const struct job_cameras *cameras = &job->cameras;
    const double quantum = job->tally.quanta.light;
    if (tally->emissivity_wide && exceeds(tally->emissivity_wide, (int64_t)transport_voxel_count(job), 1, quantum))
        return true;
    for (int c = 0; tally->peel && c < cameras->n; c++)
        if (exceeds(tally->peel[c],
                    (int64_t)cameras->n_group * cameras->n_channel * cameras->peel[c].n_x * cameras->peel[c].n_y, 1,
                    quantum))
            return true;
    return false;
}

const char *quanta_exceeded(const struct transport_job *job, const struct transport_tally *tally)
{
    const struct sum_quanta *quanta = &job->tally.quanta;
    const int64_t n = job->tally.n_batch, step = sizeof(struct transport_batch) / sizeof(double);
    const struct transport_batch *first = tally->batch;
    if (exceeds(&first->escaped, n, step, quanta->weight) || exceeds(&first->absorbed, n, step, quanta->weight))
        return "weights of packets";
    if (exceeds(&first->path, n, step, quanta->path))
        return "paths";
    if (exceeds(&first->scattered, n, step, quanta->scatterings) ||
        exceeds(&first->skipped, n, step, quanta->scatterings) || exceeds(&first->events, n, step, 1))
        return "scatterings";
    if (tally->cone && exceeds(tally->cone, n * job->cones.n, 2, quanta->cone))
        return "weights in cones";
    if (tally->fields && fields_exceed(job, tally->fields))
        return "paths or scatterings in a cell";
    return light_exceeds(job, tally) ? "light toward a camera" : NULL;
}
