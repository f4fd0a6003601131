/* A luminous plane across the mesh, and where a ray meets it. */
#ifndef LR_KERNEL_SHINING_PLANE_H
#define LR_KERNEL_SHINING_PLANE_H

#include "kernel/ray.h"

struct plane_view {
    int axis;
    double offset;          /* from the lower corner of the mesh */
    int isotropic;          /* brightness grows as 1 / |mu|; otherwise it is constant */
    int side;               /* 0: both sides shine; +1 or -1: only that side */
    const real *brightness; /* [n_node][n_channel] at |mu| = 1 */
};

struct plane_meeting {
    int met;
    double t;    /* position on the line */
    real factor; /* of the brightness */
};

/* Along periodic axes the plane is unbounded. What lies behind a near observer is not seen. */
LR_FN struct plane_meeting plane_meet(const struct mesh_view *mesh, const struct plane_view *plane,
                                      const struct line3 *line)
{
    const double mu = line->n.x[plane->axis];
    struct plane_meeting meeting;
    meeting.met = 0;
    meeting.t = 0;
    meeting.factor = R(1);
    if (mu == 0 || (plane->side != 0 && mu * plane->side < 0))
        return meeting;
    meeting.t = (plane->offset - line->p.x[plane->axis]) / mu;
    if (plane->isotropic)
        meeting.factor = (real)(1 / (mu < 0 ? -mu : mu));
    for (int axis = 0; axis < 3; axis++) {
        const double x = line->p.x[axis] + meeting.t * line->n.x[axis];
        const int bounded = axis != plane->axis && mesh->face[2 * axis] != FACE_PERIODIC;
        if (bounded && !(x >= 0 && x < walk_size(mesh, axis)))
            return meeting;
    }
    meeting.met = meeting.t <= line->t_last;
    return meeting;
}

#endif
