/* Gas, dust and collision rates for level populations, prepared on the host and sent to the device in pieces. Included
 * by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_MEDIUM_H
#define LR_BACKEND_CUDA_CUDA_LEVEL_MEDIUM_H

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "backend/cuda/cuda_level_state.h"
#include "backend/level_medium.h"

namespace
{

/* Runs work(thread, first, end) on host threads; the caller's thread does whatever no other could be started for. */
template <typename Work>
void share_out(int threads, int64_t first, int64_t end, const Work &work)
{
    std::vector<std::thread> pool;
    const int64_t part = std::max<int64_t>((end - first + threads - 1) / threads, 1);
    try {
        pool.reserve((size_t)threads);
        for (; first + part < end; first += part)
            pool.emplace_back(work, pool.size() + 1, first, first + part);
    } catch (const std::exception &) {
        /* no more threads: the rest is done by this one */
    }
    work(0, first, end);
    for (std::thread &thread : pool)
        thread.join();
}

/* Number of cells in a piece, so that the copies on the host stay small. */
enum { PIECE = 1 << 16 };

/* Whether any dust absorbs, or emits. */
void look_for_dust(const struct level_job *job, bool *dusty, bool *shines)
{
    std::vector<struct level_gas> gas(PIECE);
    *dusty = *shines = false;
    for (int64_t first = 0; first < job->n_cell; first += PIECE) {
        const int64_t n = std::min<int64_t>(job->n_cell - first, PIECE);
        job->read_gas(job->medium, first, n, gas.data());
        for (int64_t i = 0; i < n; i++) {
            *dusty = *dusty || gas[(size_t)i].kappa > 0;
            *shines = *shines || level_dust_shines(&gas[(size_t)i]);
        }
    }
}

/* A piece of the medium on the host. */
struct piece_of_medium {
    std::vector<struct level_gas> raw;
    std::vector<struct gas_view> gas;
    std::vector<double> strength, most_gain;
    std::vector<real> dust;
};

void fill_piece(const struct levels *levels, int64_t first, int64_t n, struct piece_of_medium *piece)
{
    const struct level_job *job = &levels->job;
    job->read_gas(job->medium, first, n, piece->raw.data());
    share_out(levels->threads, 0, n, [=](size_t, int64_t from, int64_t end) {
        for (size_t i = (size_t)from; i < (size_t)end; i++) {
            const struct level_gas *raw = &piece->raw[i];
            piece->gas[i] = level_gas_view(raw);
            piece->strength[i] = level_strength(raw);
            piece->most_gain[i] = level_most_gain(job, first + (int64_t)i);
            for (size_t l = 0; levels->dust && l < (size_t)job->n_line; l++)
                piece->dust[i * (size_t)job->n_line + l] = level_dust_source(&job->line[l], raw->dust_temperature);
        }
    });
}

template <typename Number>
void send(struct device *device, Number *to, int64_t first, int64_t n, const std::vector<Number> &from)
{
    okay(device, cudaMemcpy(to + first, from.data(), (size_t)n * sizeof(Number), cudaMemcpyHostToDevice));
}

void send_medium(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const size_t lines = levels->dust ? (size_t)job->n_line : 0;
    struct device *device = &levels->device;
    struct piece_of_medium piece;
    piece.raw.resize(PIECE);
    piece.gas.resize(PIECE);
    piece.strength.resize(PIECE);
    piece.most_gain.resize(PIECE);
    piece.dust.resize(PIECE * lines);
    for (int64_t first = 0; first < job->n_cell && device->error == cudaSuccess; first += PIECE) {
        const int64_t n = std::min<int64_t>(job->n_cell - first, PIECE);
        fill_piece(levels, first, n, &piece);
        send(device, levels->gas, first, n, piece.gas);
        send(device, levels->strength, first, n, piece.strength);
        send(device, levels->most_gain, first, n, piece.most_gain);
        if (levels->dust)
            send(device, levels->dust, first * (int64_t)lines, n * (int64_t)lines, piece.dust);
    }
}

/* Sends one star: its lines, and what cells see of it. */
struct star_pass send_star(struct levels *levels, const struct level_star *from)
{
    const struct level_job *job = &levels->job;
    struct device *device = &levels->device;
    std::vector<struct star_line> lines((size_t)job->n_line);
    std::vector<struct star_cell> cells(PIECE);
    for (size_t l = 0; l < lines.size(); l++)
        lines[l] = star_line_of(from->light[l]);
    struct star_cell *cell = (struct star_cell *)device_reserve(device, (size_t)job->n_cell * sizeof *cell);
    for (int64_t first = 0; first < job->n_cell && device->error == cudaSuccess; first += PIECE) {
        const int64_t n = std::min<int64_t>(job->n_cell - first, PIECE);
        for (int64_t i = 0; i < n; i++)
            cells[(size_t)i] = {(real)from->dilution[first + i], (real)from->length[first + i]};
        send(device, cell, first, n, cells);
    }
    struct star_pass star;
    star.point = make_point(from->point);
    star.n_cell = job->n_cell;
    star.cell = cell;
    star.line = (struct star_line *)device_copy(device, lines.size() * sizeof(struct star_line), lines.data());
    star.light = levels->star;
    return star;
}

void send_rates(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const int64_t size = (int64_t)job->n_level * job->n_level;
    const int64_t step = std::max<int64_t>(std::min<int64_t>(job->n_cell, (8 << 20) / size), 1);
    std::vector<real> host((size_t)(step * size));
    std::vector<double> rooms((size_t)(levels->threads * size));
    for (int64_t first = 0; first < job->n_cell && levels->device.error == cudaSuccess; first += step) {
        const int64_t n = std::min(job->n_cell - first, step);
        real *to = host.data();
        double *room = rooms.data();
        share_out(levels->threads, first, first + n, [=](size_t thread, int64_t from, int64_t end) {
            double *rates = room + (int64_t)thread * size;
            for (int64_t cell = from; cell < end; cell++) {
                job->read_rates(job->medium, cell, rates);
                for (int64_t i = 0; i < size; i++)
                    to[(cell - first) * size + i] = (real)rates[i];
            }
        });
        send(&levels->device, levels->rates, first * size, n * size, host);
    }
}

} // namespace

#endif
