/* Lines of sight, in double. The origin is the lower corner of the mesh, or the centre of shells. */
#ifndef LR_KERNEL_EYE_H
#define LR_KERNEL_EYE_H

#include "kernel/vec3.h"

struct point3 {
    double x[3];
};

LR_FN struct point3 make_point(const double from[3])
{
    struct point3 to;
    for (int axis = 0; axis < 3; axis++)
        to.x[axis] = from[axis];
    return to;
}

/* In working precision. */
LR_FN struct vec3 point_rounded(struct point3 point)
{
    return vec3_make((real)point.x[0], (real)point.x[1], (real)point.x[2]);
}

#define RAY_FAR 1e30

/* The eye of a camera: an image plane through `origin` (far observer), or a point (near observer). */
struct eye {
    struct point3 toward, right, up;
    struct point3 origin; /* centre of the image, or the observer */
    double step;          /* between rays: length, or tangent of the angle */
    int perspective;
    int n_ray[2];         /* of the whole image, along right and up */
    const double *impact; /* SHELLS: distance of each ray from the centre; other members are not used */
};

struct line3 {
    struct point3 p, n; /* photons arrive along n; a near observer is at t = 0 */
    double t_last;
};

#endif
