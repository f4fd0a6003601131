/* CUDA transport driver: one thread follows one packet at a time, taken from an atomic queue, with its state in
 * registers. Each turn of the loop a thread does one step of its history: a velocity proposal when it waits for a
 * scattering, one segment when it is in flight; a rejected proposal costs that thread a turn, not its warp.
 *
 * Compiled once per precision; LR_CUDA_VARIANT names the entry. */
#include <cuda_runtime.h>

#include <cstdlib>
#include <time.h>

#include "backend/build_views.h"
#include "backend/cuda_variants.h"
#include "kernel/emission.h"
#include "kernel/flight.h"
#include "kernel/tables.h"

namespace
{

enum { BLOCK_THREADS = 128 };
#ifdef LR_REAL_DOUBLE
enum { BLOCKS_PER_SM = 4 };
#else
enum { BLOCKS_PER_SM = 8 };
#endif

enum { CONSTANT_CDF = 44 * 251, CONSTANT_VOIGT = 5000 };
__constant__ float constant_cdf[CONSTANT_CDF];
__constant__ float constant_voigt[CONSTANT_VOIGT];

struct last_scattering {
    int cell[3];
    real local[3];
};

/* All a kernel needs; passed by value. */
struct pass {
    struct transport_view view;
    struct tally_axes axes;
    int64_t n_packet, batch_chunk, n_cell;
    int n_batch, n_group, one_thread_per_packet;
    struct transport_batch *batch;
    double *face_spectrum, *direction_spectrum;
    double *fields; /* [n_group][n_cell][2]: weighted length and scattering depth; or NULL */
    struct transport_record *record;
    struct last_scattering *last; /* per thread */
    unsigned long long *n_record, *queue;
    const volatile int *stop;
};

struct packet {
    struct place at;
    struct vec3 n;
    real x, tau;
    real alpha0, a, kappa, eps, b; /* of the cell */
    struct vec3 velocity;
    real weight;                                       /* at the last flush */
    real path;                                         /* up to the last flush */
    real path_part, length, scatter, depth, scattered; /* since the last flush */
    uint32_t events;                                   /* scatterings so far */
    uint32_t id_low, id_high, draw;
    int group;                      /* of batches, for the cell tallies */
    double absorbed, scattered_sum; /* up to the last flush */
    int cell;
    int waiting; /* for a scattering; otherwise in flight */
};

__device__ __forceinline__ void load_cell(struct packet &p, const struct cell_view &cell)
{
    p.alpha0 = cell.alpha0;
    p.a = cell.a;
    p.kappa = cell.kappa;
    p.eps = cell.eps;
    p.b = cell.b;
    p.velocity = vec3_make(cell.vx, cell.vy, cell.vz);
}

__device__ __forceinline__ void keep_last(const struct pass &pass, const struct packet &p)
{
    struct last_scattering *last = pass.last + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    last->cell[0] = p.at.i;
    last->cell[1] = p.at.j;
    last->cell[2] = p.at.k;
    last->local[0] = p.at.local.x;
    last->local[1] = p.at.local.y;
    last->local[2] = p.at.local.z;
}

__device__ void start_packet(const struct pass &pass, struct packet &p, int64_t id)
{
    p.id_low = (uint32_t)id;
    p.id_high = (uint32_t)((uint64_t)id >> 32);
    p.draw = EMISSION_BLOCKS;
    p.group = tally_batch(id, pass.batch_chunk, pass.n_batch) % pass.n_group;
    const struct emitted born = emit_packet(&pass.view, p.id_low, p.id_high);
    p.at = born.at;
    p.n = born.n;
    p.x = born.x;
    p.tau = born.tau;
    p.cell = walk_cell_index(&pass.view.mesh, born.at);
    load_cell(p, pass.view.cell[p.cell]);
    p.weight = R(1);
    p.path = p.path_part = p.length = p.scatter = p.depth = p.scattered = R(0);
    p.events = 0;
    p.absorbed = p.scattered_sum = 0;
    p.waiting = 0;
    if (pass.record)
        keep_last(pass, p);
}

/* Move what was gathered in the cell to the tallies; small sums are kept apart from large ones until here. */
template <bool ABSORBING>
__device__ __forceinline__ void flush(const struct pass &pass, struct packet &p)
{
    if (pass.fields) {
        double *field = pass.fields + 2 * (p.group * pass.n_cell + p.cell);
        atomicAdd(field, (double)(ABSORBING ? p.length : p.path_part));
        atomicAdd(field + 1, (double)p.scatter);
    }
    p.path += p.path_part;
    if (ABSORBING && !pass.view.analog) {
        const real lost = p.weight * absorbed_fraction(p.depth);
        p.absorbed += (double)lost;
        p.scattered_sum += (double)p.scattered;
        p.weight -= lost;
    }
    p.path_part = p.length = p.scatter = p.depth = p.scattered = R(0);
}

__device__ __forceinline__ int packet_batch(const struct pass &pass, const struct packet &p)
{
    return tally_batch((int64_t)(((uint64_t)p.id_high << 32) | p.id_low), pass.batch_chunk, pass.n_batch);
}

/* Count a finished packet: escaped through `face`, or gone (face < 0). */
template <bool ABSORBING>
__device__ void end_packet(const struct pass &pass, struct packet &p, int face)
{
    const int in_run = packet_batch(pass, p);
    struct transport_batch *batch = &pass.batch[in_run];
    const double weight = ABSORBING ? (double)p.weight : 1.0;
    atomicAdd(&batch->packets, 1.0);
    atomicAdd(&batch->events, (double)p.events);
    atomicAdd(&batch->scattered, ABSORBING && !pass.view.analog ? p.scattered_sum : (double)p.events);
    if (ABSORBING)
        atomicAdd(&batch->absorbed, p.absorbed);
    if (face < 0)
        return;
    const real x = frequency_in_mesh_frame(p.x, p.b, vec3_dot(p.velocity, p.n));
    const int bin = spectrum_bin(&pass.axes, x);
    const int n_slot = pass.axes.n_bin + 2;
    const int n_direction = pass.axes.n_mu * pass.axes.n_phi;
    atomicAdd(&batch->escaped, weight);
    atomicAdd(&batch->path, weight * (double)p.path);
    atomicAdd(&pass.face_spectrum[((int64_t)in_run * TRANSPORT_N_FACE + face) * n_slot + bin], weight);
    atomicAdd(&pass.direction_spectrum[((int64_t)in_run * n_direction + direction_bin(&pass.axes, p.n)) * n_slot + bin],
              weight);
    if (!pass.record)
        return;
    struct transport_record *record = &pass.record[atomicAdd(pass.n_record, 1ull)];
    const struct last_scattering *last = pass.last + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    record->id = (int64_t)(((uint64_t)p.id_high << 32) | p.id_low);
    record->scatterings = p.events;
    record->weight = weight;
    record->shift = (double)x;
    record->path = (double)p.path;
    record->face = face;
    record->cell[0] = p.at.i;
    record->cell[1] = p.at.j;
    record->cell[2] = p.at.k;
    record->local[0] = (double)p.at.local.x;
    record->local[1] = (double)p.at.local.y;
    record->local[2] = (double)p.at.local.z;
    record->direction[0] = (double)p.n.x;
    record->direction[1] = (double)p.n.y;
    record->direction[2] = (double)p.n.z;
    for (int axis = 0; axis < 3; axis++) {
        record->last_cell[axis] = last->cell[axis];
        record->last_local[axis] = (double)last->local[axis];
    }
}

/* Russian roulette after a flush; returns whether the packet lives. */
template <bool ABSORBING>
__device__ __forceinline__ bool roulette_survives(const struct pass &pass, struct packet &p)
{
    if (!ABSORBING || p.weight >= ROULETTE_BELOW)
        return true;
    const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    const bool survives = rng_uniform(random.r0) <= ROULETTE_SURVIVAL && p.weight > R(0);
    const real weight = survives ? p.weight / ROULETTE_SURVIVAL : R(0);
    atomicAdd(&pass.batch[packet_batch(pass, p)].roulette, (double)p.weight - (double)weight);
    p.weight = weight;
    return survives;
}

/* A packet that stays in one cell for long: settle its sums, and its fate if its weight has become small. Returns
 * whether it goes on. */
template <bool ABSORBING>
__device__ __forceinline__ bool settle(const struct pass &pass, struct packet &p)
{
    flush<ABSORBING>(pass, p);
    const bool alive = roulette_survives<ABSORBING>(pass, p);
    if (!alive)
        end_packet<ABSORBING>(pass, p, -1);
    return alive;
}

/* Returns whether the packet goes on. */
template <bool ABSORBING>
__device__ __forceinline__ bool cross(const struct pass &pass, struct packet &p, int axis)
{
    flush<ABSORBING>(pass, p);
    const struct crossing crossing = walk_cross(&pass.view.mesh, p.at, p.n, axis);
    if (crossing.escaped) {
        p.at = crossing.at;
        end_packet<ABSORBING>(pass, p, crossing.face);
        return false;
    }
    if (!roulette_survives<ABSORBING>(pass, p)) {
        end_packet<ABSORBING>(pass, p, -1);
        return false;
    }
    const struct vec3 n = crossing.reflected ? walk_mirrored(p.n, axis) : p.n;
    const int index = walk_cell_index(&pass.view.mesh, crossing.at);
    const struct cell_view to = pass.view.cell[index];
    p.x = frequency_across(p.x, p.b, vec3_dot(p.velocity, p.n), to.b, cell_velocity_along(&to, n));
    p.n = n;
    p.at = crossing.at;
    p.cell = index;
    load_cell(p, to);
    return true;
}

template <int MODE, bool NARROW>
__device__ __forceinline__ void try_scattering(const struct pass &pass, const struct table_view &table,
                                               struct packet &p)
{
    const struct random4 first = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    struct velocity_proposal proposal;
    if (MODE == MODE_COMPLETE) {
        proposal.u = sample_voigt_profile(p.a, first);
        proposal.uniform = rng_uniform(first.r3);
        proposal.chance = R(1);
    } else if (MODE == MODE_TABLE_GLOBAL || MODE == MODE_TABLE_CONSTANT) {
        proposal = propose_velocity_table(&table, p.a, p.x, first);
    } else {
        proposal = propose_velocity(p.a, p.x, first, NARROW);
    }
    if (proposal.uniform > proposal.chance)
        return;
    const struct random4 second = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    const struct vec3 out =
        pass.view.dipole
            ? direction_dipole(p.n, phase_in_core(p.a, p.x) ? pass.view.dipole_core : R(1), second.r0, second.r1)
            : direction_isotropic(second.r0, second.r1);
    if (MODE == MODE_COMPLETE) {
        p.x = proposal.u;
    } else {
        const real g = vec3_dot(p.n, out);
        const real u_perp = thermal_pair(second.r2, second.r3).first;
        const real recoil = pass.view.recoil > R(0) ? r_div(pass.view.recoil, p.b) : R(0);
        p.x = redistributed_frequency(p.x, proposal.u, u_perp, g, recoil);
    }
    p.n = out;
    p.tau = r_max(-r_log(r_div(proposal.uniform, proposal.chance)), R(0));
    p.events++;
    p.waiting = 0;
}

template <int MODE, bool NARROW>
__device__ __forceinline__ real profile_at(const struct table_view &table, real a, real x)
{
    if (MODE == MODE_TABLE_GLOBAL || MODE == MODE_TABLE_CONSTANT)
        return voigt_table(&table, a, x);
    if (MODE == MODE_APPROXIMATE_VOIGT)
        return voigt_tanh_blend(a, x, (real)voigt_crossing((double)a));
    return NARROW ? voigt_narrow(a, x) : voigt(a, x);
}

/* One segment; returns whether the packet goes on. */
template <int MODE, bool ABSORBING, bool NARROW>
__device__ __forceinline__ bool fly(const struct pass &pass, const struct table_view &table, struct packet &p)
{
    const real profile = profile_at<MODE, NARROW>(table, p.a, p.x);
    const struct opacity opacity = opacity_at(p.alpha0, ABSORBING ? p.eps : R(0), ABSORBING ? p.kappa : R(0), profile);
    const bool analog = ABSORBING && pass.view.analog;
    const real stopping = analog ? opacity.scatter + opacity.absorb : opacity.scatter;
    const struct segment segment = fly_segment(p.at.local, p.at.width, p.n, p.tau, stopping);
    p.at.local.x += segment.length * p.n.x;
    p.at.local.y += segment.length * p.n.y;
    p.at.local.z += segment.length * p.n.z;
    p.tau = segment.tau_left;
    p.path_part += segment.length;
    real weighted = segment.length;
    if (ABSORBING) {
        if (!analog) {
            const real depth = opacity.absorb * segment.length;
            weighted *= p.weight * r_exp(-p.depth) * mean_transmission(depth);
            p.depth += depth;
            p.scattered += segment.scatters ? p.weight * r_exp(-p.depth) : R(0);
        }
        p.length += weighted;
    }
    p.scatter += weighted * opacity.scatter;
    if (!segment.scatters)
        return cross<ABSORBING>(pass, p, segment.axis);
    p.waiting = 1;
    if (pass.record)
        keep_last(pass, p);
    if (analog) {
        const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
        if (rng_uniform(random.r0) * stopping <= opacity.absorb) {
            flush<ABSORBING>(pass, p);
            p.absorbed = (double)p.weight;
            end_packet<ABSORBING>(pass, p, -1);
            return false;
        }
    }
    return flush_is_due(p.events) ? settle<ABSORBING>(pass, p) : true;
}

template <int MODE, bool ABSORBING, bool NARROW>
__global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_PER_SM)
    transport_kernel(const __grid_constant__ struct pass pass)
{
    struct table_view table = pass.view.table;
    if (MODE == MODE_TABLE_CONSTANT) {
        table.cdf = constant_cdf;
        table.log_voigt = constant_voigt;
    }
    struct packet p;
    bool alive = false;
    int64_t fixed = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (;;) {
        if (!alive) {
            int64_t id = fixed;
            if (!pass.one_thread_per_packet)
                id = (int64_t)atomicAdd(pass.queue, 1ull);
            fixed = pass.n_packet;
            if (id >= pass.n_packet || *pass.stop)
                return;
            start_packet(pass, p, id);
            alive = true;
        }
        if (p.waiting)
            try_scattering<MODE, NARROW>(pass, table, p);
        if (!p.waiting)
            alive = fly<MODE, ABSORBING, NARROW>(pass, table, p);
    }
}

/* Sums and sums of squares over the groups of batches. */
__global__ void fold_kernel(const double *sums, int n_group, int64_t n_cell, double *total, double *square)
{
    const int64_t cell = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n_cell)
        return;
    double t = 0;
    double s = 0;
    for (int group = 0; group < n_group; group++) {
        const double value = sums[2 * (group * n_cell + cell)];
        t += value;
        s += value * value;
    }
    total[cell] = t;
    square[cell] = s;
}

/* ---- host ----------------------------------------------------------------------------------------------------- */

/* Device memory of a run, freed together; the first error is kept. */
struct device {
    void *block[256];
    int n_block;
    cudaError_t error;
};

bool okay(struct device *device, cudaError_t error)
{
    if (device->error == cudaSuccess)
        device->error = error;
    return device->error == cudaSuccess;
}

void *device_copy(void *owner, size_t bytes, const void *data)
{
    struct device *device = (struct device *)owner;
    void *memory = NULL;
    if (device->n_block == (int)(sizeof device->block / sizeof device->block[0]))
        okay(device, cudaErrorMemoryAllocation);
    if (device->error != cudaSuccess || !okay(device, cudaMalloc(&memory, bytes > 0 ? bytes : 1)))
        return NULL;
    device->block[device->n_block++] = memory;
    if (!okay(device, data ? cudaMemcpy(memory, data, bytes, cudaMemcpyHostToDevice) : cudaMemset(memory, 0, bytes)))
        return NULL;
    return memory;
}

void device_release(struct device *device)
{
    for (int i = 0; i < device->n_block; i++)
        cudaFree(device->block[i]);
}

bool upload_cells(struct device *device, const struct transport_job *job, struct pass *pass)
{
    const int64_t piece = job->n_cell < (1 << 20) ? job->n_cell : (1 << 20);
    struct cell_view *cells = (struct cell_view *)device_copy(device, (size_t)job->n_cell * sizeof *cells, NULL);
    struct cell_view *host = (struct cell_view *)aligned_alloc(64, (size_t)((piece + 1) / 2 * 2) * sizeof *host);
    bool ok = cells && host;
    for (int64_t first = 0; ok && first < job->n_cell; first += piece) {
        const int64_t n = job->n_cell - first < piece ? job->n_cell - first : piece;
        ok = fill_cells(job, first, n, host) &&
             okay(device, cudaMemcpy(cells + first, host, (size_t)n * sizeof *host, cudaMemcpyHostToDevice));
    }
    free(host);
    pass->view.cell = cells;
    return ok;
}

bool upload(struct device *device, const struct transport_job *job, struct transport_tally *tally, int n_thread,
            struct pass *pass)
{
    const struct view_store store = {device, device_copy};
    const size_t slots = (size_t)job->n_bin + 2;
    const size_t batches = (size_t)job->n_batch;
    if (!make_transport_view(&store, job, &pass->view) || !upload_cells(device, job, pass))
        return false;
    pass->axes = make_tally_axes(job);
    pass->n_packet = job->n_packet;
    pass->batch_chunk = job->batch_chunk;
    pass->n_batch = job->n_batch;
    pass->n_group = job->n_group;
    pass->n_cell = job->n_cell;
    pass->one_thread_per_packet = job->one_thread_per_packet;
    pass->batch = (struct transport_batch *)device_copy(device, batches * sizeof *tally->batch, tally->batch);
    pass->face_spectrum =
        (double *)device_copy(device, batches * TRANSPORT_N_FACE * slots * sizeof(double), tally->face_spectrum);
    pass->direction_spectrum = (double *)device_copy(
        device, batches * (size_t)(job->n_mu * job->n_phi) * slots * sizeof(double), tally->direction_spectrum);
    if (job->fields) {
        const size_t bytes = (size_t)job->n_group * (size_t)job->n_cell * 2 * sizeof(double);
        pass->fields = (double *)device_copy(device, bytes, NULL);
    }
    if (job->record) {
        const size_t n = (size_t)job->n_packet;
        pass->record = (struct transport_record *)device_copy(device, n * sizeof *pass->record, NULL);
        pass->last = (struct last_scattering *)device_copy(device, (size_t)n_thread * sizeof *pass->last, NULL);
    }
    pass->n_record = (unsigned long long *)device_copy(device, sizeof *pass->n_record, NULL);
    pass->queue = (unsigned long long *)device_copy(device, sizeof *pass->queue, NULL);
    pass->stop = (const volatile int *)device_copy(device, sizeof(int), NULL);
    if (job->mode == TRANSPORT_TABLE_CONSTANT && device->error == cudaSuccess) {
        okay(device,
             cudaMemcpyToSymbol(constant_cdf, pass->view.table.cdf, sizeof constant_cdf, 0, cudaMemcpyDeviceToDevice));
        okay(device, cudaMemcpyToSymbol(constant_voigt, pass->view.table.log_voigt, sizeof constant_voigt, 0,
                                        cudaMemcpyDeviceToDevice));
    }
    return device->error == cudaSuccess;
}

typedef void kernel_fn(const struct pass);

/* Only the exact mode has kernels of its own for narrow lines and for no absorption; the others are there to compare.
 */
kernel_fn *choose_kernel(const struct transport_job *job)
{
    switch (job->mode) {
    case TRANSPORT_TABLE_GLOBAL:
        return transport_kernel<MODE_TABLE_GLOBAL, true, false>;
    case TRANSPORT_TABLE_CONSTANT:
        return transport_kernel<MODE_TABLE_CONSTANT, true, false>;
    case TRANSPORT_APPROXIMATE_VOIGT:
        return transport_kernel<MODE_APPROXIMATE_VOIGT, true, false>;
    case TRANSPORT_COMPLETE:
        return transport_kernel<MODE_COMPLETE, true, false>;
    default:
        if (job->narrow)
            return job->absorbing ? transport_kernel<MODE_EXACT, true, true>
                                  : transport_kernel<MODE_EXACT, false, true>;
        return job->absorbing ? transport_kernel<MODE_EXACT, true, false> : transport_kernel<MODE_EXACT, false, false>;
    }
}

/* Blocks that fill the device, or one thread per packet. */
int64_t choose_blocks(struct device *device, const struct transport_job *job, kernel_fn *kernel)
{
    const int64_t enough = (job->n_packet + BLOCK_THREADS - 1) / BLOCK_THREADS;
    int id = 0;
    int processors = 1;
    int resident = 1;
    okay(device, cudaGetDevice(&id));
    okay(device, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, id));
    okay(device, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, BLOCK_THREADS, 0));
    const int64_t filling = (int64_t)processors * resident;
    return job->one_thread_per_packet || enough < filling ? enough : filling;
}

/* Wait for the kernel, passing progress out and the wish to stop in. */
void wait_for(struct device *device, const struct pass *pass, const struct transport_monitor *monitor, cudaEvent_t end,
              cudaStream_t side)
{
    const int one = 1;
    bool told = false;
    unsigned long long taken = 0;
    double since_report = 0;
    double nap = 50e-6;
    while (cudaEventQuery(end) == cudaErrorNotReady && device->error == cudaSuccess) {
        const struct timespec pause = {0, (long)(nap * 1e9)};
        nanosleep(&pause, NULL);
        since_report += nap;
        nap = nap < 5e-3 ? nap * 1.5 : nap;
        if (*monitor->stop && !told) {
            okay(device, cudaMemcpyAsync((void *)pass->stop, &one, sizeof one, cudaMemcpyHostToDevice, side));
            told = true;
        }
        if (monitor->progress && since_report > 0.1) {
            since_report = 0;
            okay(device, cudaMemcpyAsync(&taken, pass->queue, sizeof taken, cudaMemcpyDeviceToHost, side));
            okay(device, cudaStreamSynchronize(side));
            monitor->progress(monitor->user, (int64_t)taken < pass->n_packet ? (int64_t)taken : pass->n_packet);
        }
    }
}

void launch(struct device *device, const struct transport_job *job, const struct transport_monitor *monitor,
            struct transport_tally *tally, const struct pass *pass, kernel_fn *kernel, int64_t blocks)
{
    cudaStream_t work = NULL;
    cudaStream_t side = NULL;
    cudaEvent_t begin = NULL;
    cudaEvent_t end = NULL;
    float milliseconds = 0;
    if (okay(device, cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking)) &&
        okay(device, cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking)) &&
        okay(device, cudaEventCreate(&begin)) && okay(device, cudaEventCreate(&end)) &&
        okay(device, cudaDeviceSynchronize())) {
        okay(device, cudaEventRecord(begin, work));
        kernel<<<(unsigned)blocks, BLOCK_THREADS, 0, work>>>(*pass);
        okay(device, cudaGetLastError());
        okay(device, cudaEventRecord(end, work));
        wait_for(device, pass, monitor, end, side);
        okay(device, cudaStreamSynchronize(work));
        okay(device, cudaEventElapsedTime(&milliseconds, begin, end));
    }
    (void)job;
    tally->seconds += 1e-3 * (double)milliseconds;
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(work);
    cudaStreamDestroy(side);
}

/* One tally field folded on the device and added to the host's sums. */
bool download_field(struct device *device, const struct transport_job *job, const double *sums, double *total,
                    double *square)
{
    const size_t bytes = (size_t)job->n_cell * sizeof(double);
    double *folded = (double *)device_copy(device, 2 * bytes, NULL);
    double *host = (double *)malloc(2 * bytes);
    if (folded && host) {
        const unsigned blocks = (unsigned)((job->n_cell + 255) / 256);
        fold_kernel<<<blocks, 256>>>(sums, job->n_group, job->n_cell, folded, folded + job->n_cell);
        okay(device, cudaGetLastError());
        if (okay(device, cudaMemcpy(host, folded, 2 * bytes, cudaMemcpyDeviceToHost)))
            for (int64_t cell = 0; cell < job->n_cell; cell++) {
                total[cell] = host[cell];
                square[cell] = host[job->n_cell + cell];
            }
    } else {
        okay(device, cudaErrorMemoryAllocation);
    }
    free(host);
    return device->error == cudaSuccess;
}

bool download(struct device *device, const struct transport_job *job, const struct pass *pass,
              struct transport_tally *tally)
{
    const size_t slots = (size_t)job->n_bin + 2;
    const size_t batches = (size_t)job->n_batch;
    unsigned long long n_record = 0;
    okay(device, cudaMemcpy(tally->batch, pass->batch, batches * sizeof *tally->batch, cudaMemcpyDeviceToHost));
    okay(device, cudaMemcpy(tally->face_spectrum, pass->face_spectrum,
                            batches * TRANSPORT_N_FACE * slots * sizeof(double), cudaMemcpyDeviceToHost));
    okay(device,
         cudaMemcpy(tally->direction_spectrum, pass->direction_spectrum,
                    batches * (size_t)(job->n_mu * job->n_phi) * slots * sizeof(double), cudaMemcpyDeviceToHost));
    okay(device, cudaMemcpy(&n_record, pass->n_record, sizeof n_record, cudaMemcpyDeviceToHost));
    if (job->record && n_record > 0) {
        okay(device, cudaMemcpy(tally->record, pass->record, n_record * sizeof *tally->record, cudaMemcpyDeviceToHost));
        tally->n_record = (int64_t)n_record;
    }
    if (job->fields && device->error == cudaSuccess)
        return download_field(device, job, pass->fields, tally->length, tally->length_square) &&
               download_field(device, job, pass->fields + 1, tally->scatter, tally->scatter_square);
    return device->error == cudaSuccess;
}

enum lr_status run_pass(cuda_fail_fn *fail, lr_context *ctx, const struct transport_job *job,
                        const struct transport_monitor *monitor, struct transport_tally *tally)
{
    if (job->one_thread_per_packet && job->n_packet > INT32_MAX - BLOCK_THREADS)
        return fail(ctx, LR_ERROR_INPUT, "run.scheduling: static starts one thread per packet, 2e9 at most; use queue");
    struct device device = {};
    struct pass pass = {};
    kernel_fn *kernel = choose_kernel(job);
    const int64_t blocks = choose_blocks(&device, job, kernel);
    if (device.error == cudaSuccess && upload(&device, job, tally, (int)(blocks * BLOCK_THREADS), &pass)) {
        launch(&device, job, monitor, tally, &pass, kernel, blocks);
        if (device.error == cudaSuccess)
            download(&device, job, &pass, tally);
    }
    device_release(&device);
    if (device.error == cudaErrorMemoryAllocation)
        return fail(ctx, LR_ERROR_MEMORY,
                    "the GPU has too little free memory for %lld cells: use a smaller mesh or "
                    "'output.fields: false'",
                    (long long)job->n_cell);
    if (device.error != cudaSuccess)
        return fail(ctx, LR_ERROR_DEVICE, "the GPU failed: %s", cudaGetErrorString(device.error));
    return LR_OK;
}

} // namespace

#define NAME_JOIN(prefix, variant) prefix##variant
#define NAME_EXPAND(prefix, variant) NAME_JOIN(prefix, variant)

enum lr_status NAME_EXPAND(cuda_transport_,
                           LR_CUDA_VARIANT)(cuda_fail_fn *fail, lr_context *ctx, const struct transport_job *job,
                                            const struct transport_monitor *monitor, struct transport_tally *tally)
{
    return run_pass(fail, ctx, job, monitor, tally);
}
