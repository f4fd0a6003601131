/* How many scatterings a photon needs before it leaves or is absorbed.
 *
 *     leaves:     1.612 tau_c, the closed form for a source in the middle of a slab (docs/physics.md); if the gas
 * moves, with the depth of that part of it whose lines overlap, tau_c sqrt(pi) b / V destroyed:  1 / eps absorbed:
 * alpha0 / kappa at line centre. In the wing, where kappa = alpha0 a / (sqrt(pi) x*^2), absorption wins; a photon comes
 * there with the chance 2 a / (pi x*) in a scattering, so pi x* / (2 a) at most.
 *
 * The smallest counts. The path of a photon is that to a face, 1.827 (a tau_c)^(1/3) times longer in deep gas, or
 * 1 / kappa; along it the photon crosses 1 / (2 width) faces of cells per length and axis. A packet that loses weight
 * lives longer than a photon, until Russian roulette ends it. */
#include "solve/stage/outlook.h"

#include <math.h>

#include "base/constants.h"
#include "base/context.h"
#include "model/field.h"
#include "model/medium.h"
#include "solve/common/duration.h"

static const double SLAB = 1.6117;       /* scatterings over tau_c */
static const double SLAB_PATH = 1.827;   /* path over the way to a face and (a tau_c)^(1/3) */
static const double LEAST_WEIGHT = 1e-3; /* where roulette begins (kernel/flight.h) */
static const double DRAWS = 2.5;         /* of random numbers per scattering, with rejected atoms */
static const double TOO_LONG = 86400;    /* s */
static const double SLOW_CORE = 1e7;     /* steps per second of a slow CPU core, */
static const double SLOW_GPU = 1e10;     /* of a small GPU */
static const double MANY_STEPS = 1e8;    /* that take one packet minutes */

/* What ends packets, as two numbers that may be infinite: scatterings, and length of the path. */
struct ways_out {
    double scatterings, path;
};

static void take_smaller(struct ways_out *out, double scatterings, double path)
{
    out->scatterings = fmin(out->scatterings, scatterings);
    out->path = fmin(out->path, path);
}

static double speed_range(const lr_model *model, int axis)
{
    const struct field_range range = field_measure(&model->medium.velocity[axis], &model->mesh);
    return range.high - range.low;
}

static void leave(const lr_model *model, struct ways_out *out)
{
    const struct mesh *mesh = &model->mesh;
    const bool shells = mesh->kind == MESH_SHELLS;
    for (int axis = 0; axis < (shells ? 1 : 3); axis++) {
        const bool lower = mesh->face[2 * axis] == FACE_OPEN, upper = mesh->face[2 * axis + 1] == FACE_OPEN;
        if (!shells && !lower && !upper)
            continue;
        const bool from_centre = shells || (lower && upper);
        const double size = shells ? mesh_upper(mesh, axis) : mesh_upper(mesh, axis) - mesh_lower(mesh, axis);
        const double overlap = LR_SQRT_PI * model->reference_b / speed_range(model, axis); /* infinite at rest */
        const double depth = medium_line_centre_depth(model, axis, from_centre) * fmin(overlap, 1);
        const double longer = SLAB_PATH * cbrt(field_measure(&model->medium.a, mesh).mean * depth);
        take_smaller(out, SLAB * depth, (from_centre && !shells ? 0.5 * size : size) * fmax(longer, 1));
    }
}

static void absorb(const lr_model *model, struct ways_out *out)
{
    const struct mesh *mesh = &model->mesh;
    const struct medium *medium = &model->medium;
    const double alpha0 = field_measure(&medium->alpha0, mesh).mean, a = field_measure(&medium->a, mesh).mean;
    const double kappa = field_measure(&medium->kappa, mesh).mean, eps = field_measure(&medium->eps, mesh).mean;
    const double lives = model->physics.absorption == ABSORPTION_ANALOG ? 1 : -log(LEAST_WEIGHT);
    if (eps > 0 && alpha0 > 0)
        take_smaller(out, lives / eps, lives / (eps * alpha0));
    if (!(kappa > 0))
        return;
    const double wing = sqrt(alpha0 * a / (LR_SQRT_PI * kappa));
    take_smaller(out, lives * (a > 0 ? fmin(alpha0 / kappa, 0.5 * LR_PI * wing / a) : alpha0 / kappa), lives / kappa);
}

static double faces_per_length(const struct mesh *mesh)
{
    double faces = 0, smallest, largest;
    for (int axis = 0; axis < (mesh->kind == MESH_SHELLS ? 1 : 3); axis++) {
        mesh_widths(mesh, axis, &smallest, &largest);
        faces += mesh_is_endless(mesh, axis) ? 0 : 0.5 / largest;
    }
    return faces;
}

struct outlook outlook_of(const lr_model *model)
{
    struct ways_out out = {INFINITY, INFINITY};
    leave(model, &out);
    absorb(model, &out);
    return (struct outlook){out.scatterings, out.path * faces_per_length(&model->mesh)};
}

/* What can be done about it. */
static const char *advice(const lr_model *model, const struct outlook *expected)
{
    bool open = model->mesh.kind == MESH_SHELLS;
    for (int face = 0; face < N_FACE; face++)
        open |= model->mesh.face[face] == FACE_OPEN;
    if (!open)
        return "no face is open, and hardly anything is absorbed: open a face (mesh.faces), or absorb more";
    if (expected->crossings > DRAWS * expected->scatterings)
        return "most of its steps are crossings of faces: make cells wider, or a periodic axis a single cell";
    if (model->physics.acceleration == ACCELERATION_NONE && model->physics.redistribution == REDISTRIBUTION_EXACT)
        return "try 'physics.acceleration: jumps', fewer packets or less depth";
    return "use fewer packets or less depth";
}

void outlook_warn(lr_context *ctx, const lr_model *model, const struct pilot *pilot)
{
    const double most = (double)model->run.max_steps;
    const struct outlook expected = outlook_of(model);
    if (!pilot->at_least) {
        if (pilot->seconds_packets > TOO_LONG)
            lr_log(ctx, LR_LOG_WARNING, "the run will take about %s, at about %.2g scatterings per packet; %s",
                   duration_of(pilot->seconds_packets).text, pilot->scatterings, advice(model, &expected));
        return;
    }
    const double draws = pilot->scatterings > 0 ? pilot->steps / pilot->scatterings : DRAWS;
    const double steps = draws * expected.scatterings + expected.crossings;
    const double seconds =
        fmin(steps, most) / pilot->steps * pilot->seconds * fmax(pilot->n_packet / pilot->n_flight, 1);
    if (steps > most)
        lr_log(
            ctx, LR_LOG_WARNING,
            "a packet needs about %.2g scatterings and %.2g crossings of faces, more than run.max_steps allows: most "
            "packets will be given up as stuck, in %s for all of them; %s",
            expected.scatterings, expected.crossings, duration_of(seconds).text, advice(model, &expected));
    else if (seconds > TOO_LONG)
        lr_log(ctx, LR_LOG_WARNING,
               "the run may take %s: a packet needs about %.2g scatterings and %.2g crossings of faces; %s",
               duration_of(seconds).text, expected.scatterings, expected.crossings, advice(model, &expected));
}

enum lr_status outlook_look(lr_context *ctx, const lr_model *model, struct stage *stage)
{
    const struct outlook expected = outlook_of(model);
    const double steps = DRAWS * expected.scatterings + expected.crossings;
    const double rate = stage_is_on_gpu(stage) ? SLOW_GPU : SLOW_CORE * stage->worker.threads;
    const struct packet_range packets = stage->prepared.job.packets;
    if (!(steps > MANY_STEPS) && !(steps * (double)(packets.end - packets.first) > TOO_LONG * rate))
        return LR_OK;
    struct pilot pilot = {0};
    LR_TRY(pilot_fly(ctx, model, stage, &pilot));
    if (!ctx->stop)
        outlook_warn(ctx, model, &pilot);
    return LR_OK;
}
