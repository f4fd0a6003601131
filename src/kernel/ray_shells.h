/* Rays through spherical shells to a far observer. A ray is given by its impact parameter p, a point on it by z, which
 * increases toward the observer and is 0 at the closest point: r^2 = p^2 + z^2, mu = z / r. All in double.
 *
 * The path through a shell is split into pieces on which r, and the velocity toward the observer, change monotonically:
 * it is cut at the closest point and after every r/2. */
#ifndef LR_KERNEL_RAY_SHELLS_H
#define LR_KERNEL_RAY_SHELLS_H

#include "kernel/aspect.h"
#include "kernel/eye.h"
#include "kernel/sphere.h"
#include "kernel/walk_shells.h"

struct ray {
    struct vec3 n; /* along z */
    double p, z, z_last;
    double t_first; /* where on the line the ray starts */
    int shell;
    int hits; /* the mesh */
};

/* The line p + t n, from the first to the last t inside the outermost sphere and between t_first and t_last. */
LR_FN struct ray ray_enter(const struct mesh_view *mesh, struct point3 p, struct point3 n, double t_first,
                           double t_last)
{
    const int count = mesh->n[0];
    const double outermost = mesh->radius[count];
    const double z = p.x[0] * n.x[0] + p.x[1] * n.x[1] + p.x[2] * n.x[2];
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double aside = p.x[axis] - z * n.x[axis];
        square += aside * aside;
    }
    struct ray ray;
    ray.n = vec3_make(R(0), R(0), R(1));
    ray.p = sqrt(square);
    ray.hits = 0;
    ray.shell = count - 1;
    const double half = sphere_half_chord(outermost, ray.p);
    const int starts_inside = z + t_first > -half;
    ray.z = starts_inside ? z + t_first : -half;
    ray.z_last = z + t_last < half ? z + t_last : half;
    if (!(ray.p < outermost) || !(ray.z < ray.z_last))
        return ray;
    ray.t_first = ray.z - z;
    ray.hits = 1;
    if (!starts_inside)
        return ray;
    const double r = sqrt(square + ray.z * ray.z);
    while (ray.shell > 0 && mesh->radius[ray.shell] > r)
        ray.shell--;
    return ray;
}

/* Ray (i, j) of the image: one of the list of impact parameters. */
LR_FN struct line3 eye_line(const struct eye *eye, int i, int j)
{
    struct line3 line;
    for (int axis = 0; axis < 3; axis++)
        line.p.x[axis] = line.n.x[axis] = 0;
    line.p.x[0] = eye->impact[j * eye->n_ray[0] + i];
    line.n.x[2] = 1;
    line.t_last = RAY_FAR;
    return line;
}

/* Direction from a shell to the observer: slopes (slope.h) are along the radius, which is z. */
LR_FN struct vec3 eye_direction(const struct eye *eye, const struct mesh_view *mesh, const int at[3])
{
    (void)eye;
    (void)mesh;
    (void)at;
    return vec3_make(R(0), R(0), R(1));
}

/* A piece of the path of a ray, far end first. */
struct passage {
    int cell;
    real length;
    struct vec3 from, to; /* radii at its ends minus the volume-weighted mean radius of the shell; 0; 0. Both are
                           * shifted so that their mean is that of the piece, where r is not quite linear */
    int more;             /* there is another piece */
    real z, p, middle;    /* z of the far end; impact parameter; middle radius of the shell */
};

/* Returns the piece ahead and moves the ray to the next one. */
LR_FN struct passage ray_advance(const struct mesh_view *mesh, struct ray *ray)
{
    const double inner = mesh->radius[ray->shell];
    const double outer = mesh->radius[ray->shell + 1];
    const double middle = 0.5 * (inner + outer);
    const double mean = shell_mean_radius(inner, outer);
    const double p = ray->p;
    const double r = sqrt(p * p + ray->z * ray->z);
    double end;
    int next = ray->shell;
    if (ray->z < 0 && p < inner) {
        end = -sphere_half_chord(inner, p);
        next--;
    } else if (ray->z < 0) {
        end = 0;
    } else {
        end = sphere_half_chord(outer, p);
        next++;
    }
    const double most = 0.5 * r > 0.25 * (outer - inner) ? 0.5 * r : 0.25 * (outer - inner);
    if (end - ray->z > most) {
        end = ray->z + most;
        next = ray->shell;
    }
    struct passage passage;
    passage.more = end < ray->z_last && next < mesh->n[0];
    end = end < ray->z_last ? end : ray->z_last;
    end = end > ray->z ? end : ray->z;
    passage.cell = ray->shell;
    passage.length = (real)(end - ray->z);
    const double r_half = sqrt(p * p + 0.25 * (ray->z + end) * (ray->z + end));
    const double r_end = sqrt(p * p + end * end);
    const double bend = (2 * r_half - r - r_end) / 3; /* Simpson's mean minus that of the ends */
    passage.from = vec3_make((real)(r + bend - mean), R(0), R(0));
    passage.to = vec3_make((real)(r_end + bend - mean), R(0), R(0));
    passage.z = (real)ray->z;
    passage.p = (real)p;
    passage.middle = (real)middle;
    ray->z = end;
    ray->shell = next;
    return passage;
}

/* Radius and mu at a fraction of a piece, from its far end. At the centre itself mu is taken as 1. */
struct piece_place {
    real r, mu;
};

LR_FN struct piece_place passage_at(const struct passage *way, real part)
{
    const real z = way->z + part * way->length;
    struct piece_place at;
    at.r = r_sqrt(z * z + way->p * way->p);
    at.mu = at.r > R(0) ? r_div(z, at.r) : R(1);
    return at;
}

/* Gas velocity toward the observer on a piece: v(r) mu, with v linear in r inside a shell. */
struct flow {
    real far, near;         /* at its ends */
    real outflow, gradient; /* v in the middle of the shell, dv/dr */
};

/* The velocity at a fraction of the way, from its far end. */
LR_FN real flow_at(const struct passage *way, struct flow flow, real part)
{
    const struct piece_place at = passage_at(way, part);
    return (flow.outflow + flow.gradient * (at.r - way->middle)) * at.mu;
}

/* `along` is the radial velocity in the middle of the shell; without a slope (slope.h) it holds throughout. */
LR_FN struct flow flow_make(const struct passage *way, real along, const struct vec3 *slope)
{
    struct flow flow;
    flow.outflow = along;
    flow.gradient = slope ? slope->x : R(0);
    flow.far = flow.near = R(0);
    flow.far = flow_at(way, flow, R(0));
    flow.near = flow_at(way, flow, R(1));
    return flow;
}

/* Change along the way, if all of it were as steep as its steepest point: at most twice the change between the ends. */
LR_FN real flow_change(struct flow flow)
{
    return R(2) * (flow.near - flow.far);
}

/* Whether the ray leaves its shell at the end of a piece; `next` is the following one, of length 0 if there is none. */
LR_FN int passage_leaves(const struct passage *way, const struct passage *next)
{
    return !(next->length > R(0)) || next->cell != way->cell;
}

/* Scattered light that leaves a shell along a ray: the two aspects (aspect.h) between which it is interpolated, and the
 * factor that converts it to intensity. It is stored per projected area. */
struct stored_light {
    int64_t low, high; /* rows */
    real share;        /* weight of the higher one */
    real factor;
};

LR_FN struct stored_light passage_light(const struct passage *way, int n_aspect, int64_t stride, real unit)
{
    const struct aspects aspects = aspects_about(n_aspect, passage_at(way, R(1)).mu);
    const int64_t first = (int64_t)way->cell * n_aspect;
    struct stored_light light;
    light.low = (first + aspects.low) * stride;
    light.high = (first + aspects.high) * stride;
    light.share = aspects.share;
    light.factor = unit;
    return light;
}

LR_FN real stored_light_at(struct stored_light light, const float *emissivity, int channel)
{
    return r_between((real)LR_READ(&emissivity[light.low + channel]), (real)LR_READ(&emissivity[light.high + channel]),
                     light.share) *
           light.factor;
}

/* Whether the ray continues in the shell of this piece. */
LR_FN int ray_stays(const struct mesh_view *mesh, const struct ray *ray, const struct passage *way)
{
    (void)mesh;
    return way->more && ray->shell == way->cell;
}

#endif
