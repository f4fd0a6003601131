/* Chords of spheres. */
#ifndef LR_KERNEL_SPHERE_H
#define LR_KERNEL_SPHERE_H

#include <math.h>

#include "kernel/portable.h"

/* Half the chord of a ray through a sphere, with impact parameter p. */
LR_FN double sphere_half_chord(double radius, double p)
{
    const double square = (radius - p) * (radius + p);
    return square > 0 ? sqrt(square) : 0;
}

#endif
