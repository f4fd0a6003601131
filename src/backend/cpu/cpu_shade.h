/* Determines how well cells are hidden from the cameras (shade.h). Included by cpu_transport.c, once per precision and
 * instruction set. */
#ifndef LR_BACKEND_CPU_CPU_SHADE_H
#define LR_BACKEND_CPU_CPU_SHADE_H

#include "backend/block_chain.h"
#include "kernel/shade.h"

#if defined(LR_WALK_SHELLS) || defined(LR_WALK_AMR)

static inline void make_shades(struct block **chain, struct transport_view *view, const struct cell_view *cells,
                               int threads)
{
    (void)chain;
    (void)view;
    (void)cells;
    (void)threads;
}

#else

/* One octant. `half` and `block` are scratch for one block per cell. */
static inline void find_shade(const struct transport_view *view, const struct cell_view *cells, int octant, int threads,
                              struct shade_block *half, struct shade_block *block, struct shade_view *shade)
{
    const struct mesh_view *mesh = &view->mesh;
    const int64_t n_row = (int64_t)mesh->n[0] * mesh->n[1];
#pragma omp parallel for num_threads(threads)
    for (int64_t cell = 0; cell < view->n_cell; cell++) {
        half[cell] = shade_block_of(&cells[cell]);
        shade[cell] = shade_none();
    }
    for (int size = 1; size < SHADE_SIZE; size *= 2) {
        for (int axis = 0; axis < 3; axis++) {
#pragma omp parallel for num_threads(threads)
            for (int64_t row = 0; row < n_row; row++)
                for (int k = 0; k < mesh->n[2]; k++) {
                    const int at[3] = {(int)(row / mesh->n[1]), (int)(row % mesh->n[1]), k};
                    block[row * mesh->n[2] + k] = shade_doubled(mesh, half, at, octant, axis, size);
                }
            struct shade_block *other = half;
            half = block;
            block = other;
        }
#pragma omp parallel for num_threads(threads)
        for (int64_t row = 0; row < n_row; row++)
            for (int k = 0; k < mesh->n[2]; k++) {
                const int at[3] = {(int)(row / mesh->n[1]), (int)(row % mesh->n[1]), k};
                struct shade_view *best = &shade[row * mesh->n[2] + k];
                *best = shade_better(mesh, cells, half, at, octant, 2 * size, *best);
            }
    }
}

/* If memory is short there are no shades; images then only take longer. */
static inline void make_shades(struct block **chain, struct transport_view *view, const struct cell_view *cells,
                               int threads)
{
    const int64_t n = view->n_cell;
    if (view->n_shade == 0)
        return;
    struct shade_view *shade =
        (struct shade_view *)chain_copy(chain, (size_t)(view->n_shade * n) * sizeof *shade, NULL);
    struct shade_block *half = (struct shade_block *)malloc((size_t)n * sizeof *half);
    struct shade_block *block = (struct shade_block *)malloc((size_t)n * sizeof *block);
    struct hidden_view *hidden = (struct hidden_view *)chain_copy(chain, (size_t)n * sizeof *hidden, NULL);
    const int ready = shade && hidden && half && block;
    for (int s = 0; ready && s < view->n_shade; s++)
        find_shade(view, cells, view->octant[s], threads, half, block, shade + s * n);
    for (int64_t cell = 0; ready && !view->any_near && cell < n; cell++)
        hidden[cell] = hidden_from_all(view, cells, shade, cell);
    free(half);
    free(block);
    view->shade = ready ? shade : NULL;
    view->n_shade = ready ? view->n_shade : 0;
    if (ready && !view->any_near) {
        view->hidden = hidden;
        view->hidden_step = 1;
    }
}

#endif

#endif
