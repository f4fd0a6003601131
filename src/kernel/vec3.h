/* Three-vectors by value. */
#ifndef LR_KERNEL_VEC3_H
#define LR_KERNEL_VEC3_H

#include "kernel/real.h"

struct vec3 {
    real x, y, z;
};

LR_FN struct vec3 vec3_make(real x, real y, real z)
{
    struct vec3 result;
    result.x = x;
    result.y = y;
    result.z = z;
    return result;
}

LR_FN struct vec3 vec3_select(int first, struct vec3 p, struct vec3 q)
{
    return vec3_make(first ? p.x : q.x, first ? p.y : q.y, first ? p.z : q.z);
}

LR_FN real vec3_dot(struct vec3 p, struct vec3 q)
{
    return p.x * q.x + p.y * q.y + p.z * q.z;
}

LR_FN struct vec3 direction_normalised(struct vec3 n)
{
    const real inverse = r_div(R(1), r_sqrt(vec3_dot(n, n)));
    return vec3_make(n.x * inverse, n.y * inverse, n.z * inverse);
}

#endif
