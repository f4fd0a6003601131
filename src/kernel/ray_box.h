/* Rays from behind a rectilinear or refined mesh to an observer. Each is set up in double; the origin is the lower
 * corner of the mesh. */
#ifndef LR_KERNEL_RAY_BOX_H
#define LR_KERNEL_RAY_BOX_H

#include "kernel/eye.h"
#include "kernel/walk.h"

struct ray {
    struct place at;
    struct vec3 n;    /* direction of the photons, toward the observer */
    real length_left; /* to an observer inside the mesh; faces are found by the walk itself */
    double t_first;   /* where on the line the ray starts */
    int hits;         /* the mesh */
};

/* The line p + t n, from the first to the last t inside the open faces and between t_first and t_last. Periodic axes
 * are unbounded: the start is moved into the mesh. */
LR_FN struct ray ray_enter(const struct mesh_view *mesh, struct point3 p, struct point3 n, double t_first,
                           double t_last)
{
    struct ray ray;
    int face = -1;       /* axis of the face through which it enters, unless it starts inside */
    int ends_inside = 1; /* of the mesh */
    ray.hits = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double size = walk_size(mesh, axis);
        if (mesh->face[2 * axis] == FACE_PERIODIC)
            continue;
        if (n.x[axis] == 0) {
            if (!(p.x[axis] >= 0 && p.x[axis] < size))
                return ray;
            continue;
        }
        const double t0 = -p.x[axis] / n.x[axis];
        const double t1 = (size - p.x[axis]) / n.x[axis];
        const double low = t0 < t1 ? t0 : t1;
        const double high = t0 < t1 ? t1 : t0;
        face = low > t_first ? axis : face;
        t_first = low > t_first ? low : t_first;
        ends_inside = high < t_last ? 0 : ends_inside;
        t_last = high < t_last ? high : t_last;
    }
    if (!(t_first < t_last))
        return ray;
    double point[3];
    for (int axis = 0; axis < 3; axis++) {
        const double size = walk_size(mesh, axis);
        point[axis] = p.x[axis] + t_first * n.x[axis];
        if (mesh->face[2 * axis] == FACE_PERIODIC)
            point[axis] -= size * floor(point[axis] / size);
    }
    ray.at = walk_place(mesh, point, face < 0 ? -1 : n.x[face] > 0 ? 2 * face : 2 * face + 1);
    ray.n = vec3_make((real)n.x[0], (real)n.x[1], (real)n.x[2]);
    ray.t_first = t_first;
    ray.length_left = ends_inside && t_last - t_first < (double)R_HUGE ? (real)(t_last - t_first) : R_HUGE;
    ray.hits = 1;
    return ray;
}

/* Ray (i, j) of the image, counted from the lower left corner. */
LR_FN struct line3 eye_line(const struct eye *eye, int i, int j)
{
    const double u = ((double)i + 0.5 - 0.5 * (double)eye->n_ray[0]) * eye->step;
    const double v = ((double)j + 0.5 - 0.5 * (double)eye->n_ray[1]) * eye->step;
    struct line3 line;
    double norm = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double aside = u * eye->right.x[axis] + v * eye->up.x[axis];
        line.p.x[axis] = eye->origin.x[axis] + (eye->perspective ? 0 : aside);
        line.n.x[axis] = eye->toward.x[axis] - (eye->perspective ? aside : 0);
        norm += line.n.x[axis] * line.n.x[axis];
    }
    norm = sqrt(norm);
    for (int axis = 0; axis < 3; axis++)
        line.n.x[axis] /= norm;
    line.t_last = eye->perspective ? 0 : RAY_FAR;
    return line;
}

/* Direction from the middle of a cell to the observer. */
LR_FN struct vec3 eye_direction(const struct eye *eye, const struct mesh_view *mesh, const int at[3])
{
    if (!eye->perspective)
        return point_rounded(eye->toward);
    const struct vec3 observer = point_rounded(eye->origin);
    const struct vec3 corner = walk_corner(mesh, at[0], at[1], at[2]);
    const struct vec3 width = walk_width(mesh, at[0], at[1], at[2]);
    const struct vec3 offset =
        vec3_make(observer.x - corner.x - R(0.5) * width.x, observer.y - corner.y - R(0.5) * width.y,
                  observer.z - corner.z - R(0.5) * width.z);
    return vec3_dot(offset, offset) > R(0) ? direction_normalised(offset) : point_rounded(eye->toward);
}

/* Path of a ray through one cell, far end first. */
struct passage {
    int cell;
    real length;
    struct vec3 from, to; /* its ends, relative to the middle of the cell */
    struct vec3 width;    /* of the cell */
    int more;             /* there is another cell */
};

LR_FN struct vec3 place_from_middle(struct place at)
{
    return vec3_make(at.local.x - R(0.5) * at.width.x, at.local.y - R(0.5) * at.width.y,
                     at.local.z - R(0.5) * at.width.z);
}

/* Returns the passage through the current cell and moves the ray to the next one. */
LR_FN struct passage ray_advance(const struct mesh_view *mesh, struct ray *ray)
{
    const struct cell_exit exit = walk_exit(ray->at.local, ray->at.width, ray->n);
    struct passage passage;
    passage.cell = walk_cell_index(mesh, ray->at);
    passage.width = ray->at.width;
    passage.from = place_from_middle(ray->at);
    passage.more = exit.distance < ray->length_left;
    passage.length = r_min(exit.distance, ray->length_left);
    ray->length_left -= passage.length;
    ray->at.local.x += passage.length * ray->n.x;
    ray->at.local.y += passage.length * ray->n.y;
    ray->at.local.z += passage.length * ray->n.z;
    passage.to = place_from_middle(ray->at);
    if (passage.more) {
        const struct crossing crossing = walk_cross(mesh, ray->at, ray->n, exit.axis);
        passage.more = !crossing.escaped;
        ray->at = crossing.at;
    }
    return passage;
}

/* Gas velocity toward the observer on a passage: linear between its ends. */
struct flow {
    real far, near;
};

/* `along` is the velocity in the middle of the cell; without a slope (slope.h) it holds throughout. */
LR_FN struct flow flow_make(const struct passage *way, real along, const struct vec3 *slope)
{
    struct flow flow;
    flow.far = flow.near = along;
    if (slope) {
        flow.far += vec3_dot(*slope, way->from);
        flow.near += vec3_dot(*slope, way->to);
    }
    return flow;
}

/* The velocity at a fraction of the way, from its far end. */
LR_FN real flow_at(const struct passage *way, struct flow flow, real part)
{
    (void)way;
    return r_between(flow.far, flow.near, part);
}

/* Change along the way, if all of it were as steep as its steepest point. */
LR_FN real flow_change(struct flow flow)
{
    return flow.near - flow.far;
}

/* Whether the ray leaves its cell at the end of a passage; `next` is the following one, of length 0 if none. */
LR_FN int passage_leaves(const struct passage *way, const struct passage *next)
{
    (void)way;
    (void)next;
    return 1;
}

/* Scattered light that leaves a cell along a ray: where it is stored, and the factor that converts it to intensity. It
 * is stored per volume of the cell. */
struct stored_light {
    int64_t row;
    real factor;
};

LR_FN struct stored_light passage_light(const struct passage *way, int n_aspect, int64_t stride, real unit)
{
    struct stored_light light;
    (void)n_aspect;
    light.row = way->cell * stride;
    light.factor = way->length * unit;
    return light;
}

LR_FN real stored_light_at(struct stored_light light, const float *emissivity, int channel)
{
    return (real)LR_READ(&emissivity[light.row + channel]) * light.factor;
}

/* Whether the ray re-enters the cell that it left: the mesh is periodic and one cell wide. */
LR_FN int ray_stays(const struct mesh_view *mesh, const struct ray *ray, const struct passage *way)
{
    return way->more && walk_cell_index(mesh, ray->at) == way->cell;
}

#endif
