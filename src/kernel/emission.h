/* Creation of a packet: position, direction and frequency. Uses the first EMISSION_BLOCKS = 4 random blocks (16
 * numbers); transport draws from the following ones. */
#ifndef LR_KERNEL_EMISSION_H
#define LR_KERNEL_EMISSION_H

#include "kernel/birth.h"
#include "kernel/locate.h"
#include "kernel/redistribution.h"
#include "kernel/scatterer_group.h"

enum { EMISSION_BLOCKS = 4 };

struct emitted {
    struct place at;
    struct vec3 n;
    real x;   /* in the frame of the gas */
    real tau; /* optical depth to the first scattering */
};

/* Shift from a tabulated density, linear between knots: the cumulative integral gives the interval, then the quadratic
 *
 *     INT_0^t (d0 + (d1 - d0) s) ds = fraction of the interval's integral
 *
 * is solved in the form without cancellation. */
LR_FN real sample_table_spectrum(const struct source_view *source, real uniform)
{
    const int interval = walk_locate(source->table_integral, source->n_table - 1, uniform);
    const real c0 = source->table_integral[interval];
    const real c1 = source->table_integral[interval + 1];
    const real d0 = source->table_density[interval];
    const real d1 = source->table_density[interval + 1];
    const real part = c1 > c0 ? r_min(r_max((uniform - c0) / (c1 - c0), R(0)), R(1)) : R(0.5);
    const real root = r_sqrt(r_max(d0 * d0 + part * (d1 * d1 - d0 * d0), R(0)));
    const real t = d0 + root > R(0) ? part * (d0 + d1) / (d0 + root) : R(0.5);
    return source->table_shift[interval] +
           r_min(t, R(1)) * (source->table_shift[interval + 1] - source->table_shift[interval]);
}

/* Shift of a new photon relative to the gas or the mesh, as the source specifies. */
LR_FN real sample_shift(const struct transport_view *view, const struct source_view *source,
                        const struct cell_view *cell, struct random4 random)
{
    switch (source->spectrum) {
    case SPECTRUM_GAUSSIAN:
        return source->centre + source->width * R(1.41421356237309504880) * thermal_pair(random.r0, random.r1).first;
    case SPECTRUM_LOCAL:
        return view->group.n > 0 ? group_sample_shift(&view->group, cell->a, cell->b, random)
                                 : cell->b * sample_voigt_profile(cell->a, random);
    case SPECTRUM_BAND:
        return source->centre + source->width * (rng_uniform(random.r0) - R(0.5));
    case SPECTRUM_TABLE:
        return sample_table_spectrum(source, r_min(rng_uniform(random.r0), R(1) - R_EPSILON));
    default:
        return source->centre;
    }
}

LR_FN const struct source_view *source_of_packet(const struct transport_view *view, struct random4 first)
{
    const double pick = ((double)first.r0 + 0.5) * 2.3283064365386963e-10; /* weak sources need all 32 bits */
    int s = 0;
    while (s < view->n_source - 1 && pick > view->source[s].cumulative)
        s++;
    return &view->source[s];
}

/* Whether the source has a single position or direction. A cone around the line of sight then does not measure its
 * direct light. */
LR_FN int packet_is_pointed(const struct transport_view *view, uint32_t id_low, uint32_t id_high)
{
    const struct source_view *source = source_of_packet(view, rng_draw(view->key, 0, id_low, id_high));
    return (source->kind == EMIT_POINT) | (source->kind == EMIT_LIST) | (source->angular == ANGULAR_BEAM);
}

LR_FN struct emitted emit_packet(const struct transport_view *view, uint32_t id_low, uint32_t id_high)
{
    const struct random4 first = rng_draw(view->key, 0, id_low, id_high);
    const struct random4 second = rng_draw(view->key, 1, id_low, id_high);
    const struct random4 third = rng_draw(view->key, 2, id_low, id_high);
    const struct random4 fourth = rng_draw(view->key, 3, id_low, id_high);

    const struct source_view *source = source_of_packet(view, first);
    const struct mesh_view *mesh = &view->mesh;

    struct emitted packet;
    const struct birth born = birth_of(mesh, source, first, second, third);
    packet.at = born.at;
    packet.n = born.n;
    const struct cell_view cell = view->cell[walk_cell_index(mesh, packet.at)];
    const real shift = logarithmic_shift(source->kind == EMIT_LIST ? source->list_shift[born.entry]
                                                                   : sample_shift(view, source, &cell, fourth),
                                         view->group.beta);
    const real projected = cell_velocity_along(&cell, packet.n);
    packet.x = (source->gas_frame ? shift : shift - projected) / cell.b;
    packet.tau = -r_log(rng_uniform(third.r2));
    return packet;
}

#endif
