/* A scattering becomes a note for the cameras, unless all of them are hidden from it. */
#ifndef LR_BACKEND_CUDA_CUDA_NOTE_SCATTERING_CUH
#define LR_BACKEND_CUDA_CUDA_NOTE_SCATTERING_CUH

#include "backend/cuda/cuda_notes.cuh"
#include "backend/cuda/cuda_packet.cuh"
#include "kernel/sight.h"

namespace
{

/* SHELLS: toward an observer anywhere. */
__device__ __forceinline__ struct vec3 anywhere(const struct pass &pass, struct packet &p)
{
    const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    return direction_isotropic(random.r0, random.r1);
}

/* Where a share is left. */
__device__ __forceinline__ struct vec3 share_place(const struct packet &p, bool owing, struct random4 random)
{
    if (!owing)
        return p.at.local;
    if (WALK_IS_RADIAL)
        return vec3_make(p.aside, R(0), R(0));
    const real way =
        walk_exit(p.at.local, p.at.width, p.n).distance * scattering_part(rng_uniform(random.r0), p.owed_depth);
    return walk_move(p.at.local, p.at.width, p.n, way).local;
}

/* Note the light that an atom of velocity u along the packet scatters: what a thin segment owes, or the count of a
 * scattering. */
template <int MODE, bool ABSORBING, bool LONE>
__device__ __forceinline__ void note_scattering(const struct pass &pass, struct packet &p,
                                                const struct velocity_proposal &atom, struct random4 random,
                                                struct note_page *to)
{
    const bool owing = p.state == OWING;
    const real weight = ABSORBING ? p.weight * r_exp(-p.depth) : R(1);
    const real share = p.owed == R(0) ? weight : p.owed;
    const real u_side = thermal_pair(random.r2, random.r3).first;
    const real free_path = free_path_after(atom.uniform, atom.chance);
    bool hidden = false;
    if (WALK_KNOWS_SHADE && MODE != MODE_APPROXIMATE_VOIGT) /* whose profile can be lower */
        hidden = hidden_is(p.hidden, farthest_light(&pass.view, p.n, p.x, atom.u, u_side, MODE, LONE), free_path);
    if (hidden || share <= R(0))
        return;
    const struct vec3 local = share_place(p, owing, random);
    struct note filled;
    filled.i = p.at.i;
    filled.j = p.at.j;
    filled.k = p.at.k;
    filled.group = pass.n_deposit_group > 1 ? p.batch % pass.n_deposit_group : 0;
    filled.local_x = local.x;
    filled.local_y = local.y;
    filled.local_z = local.z;
    filled.toward_z = R(0);
    if (WALK_IS_RADIAL) {
        const struct vec3 toward = anywhere(pass, p);
        filled.local_y = toward.x;
        filled.local_z = toward.y;
        filled.toward_z = toward.z;
    }
    filled.n_x = p.n.x;
    filled.n_y = p.n.y;
    filled.n_z = p.n.z;
    filled.x = p.x;
    filled.u = atom.u;
    filled.u_side = u_side;
    filled.share = share;
    filled.limit = sight_limit(free_path);
    *next_note(pass, to) = filled;
}

} // namespace

#endif
