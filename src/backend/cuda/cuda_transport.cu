/* CUDA transport driver: memory, launch and tallies. Packets come from an atomic queue, and are followed in rounds
 * (cuda_rounds.cuh); the kernels are in cuda_kernel.cuh and, for cameras, cuda_cameras.cuh. Compiled once per mesh and
 * precision; LR_CUDA_VARIANT names the entry. */
#include <cuda_runtime.h>

#include <cmath>
#include <cstdlib>
#include <time.h>

#include "backend/cuda/cuda_cameras.cuh"
#include "backend/cuda/cuda_fault.h"
#include "backend/cuda/cuda_fields.cuh"
#include "backend/cuda/cuda_flight.cuh"
#include "backend/cuda/cuda_kernel.cuh"
#include "backend/cuda/cuda_memory.h"
#include "backend/cuda/cuda_shade.cuh"
#include "backend/todo.h"
#include "backend/variant_name.h"

namespace
{

/* Allocates a pool of notes that a round of tens of milliseconds fills, if there is memory for it, but at least two
 * pages for each warp that a device runs at a time. */
bool reserve_notes(struct device *device, struct pass *pass)
{
    const size_t page = PAGE_NOTES * sizeof(struct note);
    const size_t warps = pass->n_thread / WARP;
    const size_t least = 2 * (warps < MOST_WARPS ? warps : MOST_WARPS);
    size_t available = 0;
    size_t total = 0;
    if (!okay(device, cudaMemGetInfo(&available, &total)))
        return false;
    const size_t wanted = (available / 8 < POOL_BYTES ? available / 8 : POOL_BYTES) / page;
    pass->n_page = (unsigned)(wanted > least ? wanted : least);
    pass->note = (struct note *)device_reserve(device, pass->n_page * page);
    pass->page_notes = (int *)device_reserve(device, pass->n_page * sizeof *pass->page_notes);
    pass->counters = (struct note_counters *)device_copy(device, sizeof *pass->counters, NULL);
    return device->error == cudaSuccess;
}

/* Room for the packets between rounds. With one thread for each there is only one round, unless there are cameras. */
void reserve_rounds(struct device *device, const struct transport_job *job, struct pass *pass)
{
    pass->rounds = (struct round_counters *)device_copy(device, 2 * sizeof *pass->rounds, NULL);
    for (int i = 0; i < 2 && (!job->one_thread_per_packet || job->cameras.n > 0); i++)
        pass->aside[i] = (struct parked *)device_copy(device, pass->n_thread * sizeof *pass->aside[i], NULL);
}

/* Packets with which the first round begins: one for each thread. */
int64_t packets_at_once(const struct pass *pass)
{
    const int64_t all = pass->n_flight + pass->n_packet;
    return all < pass->n_thread ? all : pass->n_thread;
}

bool upload(struct device *device, const struct transport_job *job, struct transport_tally *tally, struct pass *pass)
{
    const struct view_store store = {device, device_copy};
    const size_t slots = (size_t)job->tally.n_bin + 2;
    const size_t batches = (size_t)job->tally.n_batch;
    if (!make_transport_view(&store, job, &pass->view) || !make_cone_set(&store, job, &pass->tally.cones))
        return false;
    pass->view.cell = device_cells(device, job->read_cells, job->medium, job->n_cell);
    if (!pass->view.cell)
        return false;
    pass->tally.axes = make_tally_axes(job);
    pass->tally.deal = make_tally_deal(job);
    pass->tally.quanta = job->tally.quanta;
    pass->tally.n_group = job->tally.n_group;
    pass->tally.n_cell = job->n_cell;
    pass->one_thread_per_packet = job->one_thread_per_packet;
    pass->tally.batch = (struct transport_batch *)device_copy(device, batches * sizeof *tally->batch, tally->batch);
    pass->tally.face_spectrum =
        (double *)device_copy(device, batches * N_FACE * slots * sizeof(double), tally->face_spectrum);
    pass->tally.direction_spectrum =
        (double *)device_copy(device, batches * (size_t)(job->tally.n_mu * job->tally.n_phi) * slots * sizeof(double),
                              tally->direction_spectrum);
    if (job->tally.fields) {
        const size_t bytes = (size_t)job->tally.n_group * (size_t)job->n_cell * 2 * sizeof(double);
        pass->tally.fields = (double *)device_copy(device, bytes, tally->begun ? tally->fields : NULL);
    }
    if (job->cameras.n > 0) {
        const size_t n = transport_voxel_count(job);
        pass->n_deposit_group = job->cameras.n_group;
        if (job->cameras.wide)
            pass->emissivity_wide =
                (double *)device_copy(device, n * sizeof(double), tally->begun ? tally->emissivity_wide : NULL);
        else
            pass->emissivity = (float *)device_copy(device, n * sizeof(float), tally->begun ? tally->emissivity : NULL);
        if (!reserve_notes(device, pass))
            return false;
    }
    if (job->cones.n > 0)
        pass->tally.cone =
            (double *)device_copy(device, batches * (size_t)job->cones.n * 2 * sizeof(double), tally->cone);
    if (tally->lives)
        pass->tally.lives = (struct transport_lives *)device_copy(device, 2 * sizeof *tally->lives, tally->lives);
    if (job->tally.record)
        pass->tally.record = (struct transport_record *)device_copy(
            device, (size_t)(pass->n_flight + pass->n_packet) * sizeof *pass->tally.record, NULL);
    if (job->tally.record || pass->tally.cones.places)
        pass->last = (struct last_place *)device_copy(device, pass->n_thread * sizeof *pass->last, NULL);
    pass->tally.n_record = (unsigned long long *)device_copy(device, sizeof *pass->tally.n_record, NULL);
    pass->tally.n_overdue = (unsigned long long *)device_copy(device, sizeof *pass->tally.n_overdue, NULL);
    const unsigned long long begun = (unsigned long long)packets_at_once(pass);
    pass->queue = (unsigned long long *)device_copy(device, sizeof *pass->queue, &begun);
    reserve_rounds(device, job, pass);
    pass->flight = send_flight(device, &tally->todo);
    pass->stop = (const volatile int *)device_copy(device, sizeof(int), NULL);
    if (job->mode == REDISTRIBUTION_TABLE_CONSTANT && device->error == cudaSuccess) {
        if (job->tables->n_row * job->tables->n_node != CONSTANT_CDF || job->tables->n_voigt != CONSTANT_VOIGT)
            return okay(device, cudaErrorInvalidValue);
        okay(device,
             cudaMemcpyToSymbol(constant_cdf, pass->view.table.cdf, sizeof constant_cdf, 0, cudaMemcpyDeviceToDevice));
        okay(device, cudaMemcpyToSymbol(constant_voigt, pass->view.table.log_voigt, sizeof constant_voigt, 0,
                                        cudaMemcpyDeviceToDevice));
    }
    return device->error == cudaSuccess;
}

typedef void kernel_fn(const struct pass);

struct kernels {
    kernel_fn *packets;
    kernel_fn *cameras; /* or NULL */
    kernel_fn *leaving; /* with cameras */
};

template <int MODE, bool ABSORBING, bool NARROW>
struct kernels kernels_of(const struct transport_job *job)
{
    struct kernels kernels = {transport_kernel<MODE, ABSORBING, NARROW>, NULL, leaving_kernel<ABSORBING>};
    if (MODE == REDISTRIBUTION_EXACT && job->balls)
        kernels.packets = jumping_kernel<ABSORBING, NARROW>;
    if (job->cameras.n > 0) {
        enum {
            MAY_BE_LONE = WALK_KNOWS_SHADE && MODE == REDISTRIBUTION_EXACT
        }; /* in other cases it makes no difference */
        const bool lone = MAY_BE_LONE && job->cameras.n == 1 && !job->cameras.camera[0].perspective;
        kernels.packets = lone ? noting_kernel<MODE, ABSORBING, NARROW, MAY_BE_LONE, false>
                               : noting_kernel<MODE, ABSORBING, NARROW, false, false>;
        if (MODE == REDISTRIBUTION_EXACT && job->balls)
            kernels.packets = noting_kernel<MODE, ABSORBING, NARROW, false, MODE == REDISTRIBUTION_EXACT>;
        kernels.cameras = camera_kernel<MODE, NARROW>;
    }
    return kernels;
}

/* Only the exact mode has separate kernels for narrow lines and for no absorption; the others are for comparison. */
struct kernels choose_kernels(const struct transport_job *job)
{
    switch (job->mode) {
    case REDISTRIBUTION_TABLE_GLOBAL:
        return kernels_of<REDISTRIBUTION_TABLE_GLOBAL, true, false>(job);
    case REDISTRIBUTION_TABLE_CONSTANT:
        return kernels_of<REDISTRIBUTION_TABLE_CONSTANT, true, false>(job);
    case REDISTRIBUTION_APPROXIMATE_VOIGT:
        return kernels_of<REDISTRIBUTION_APPROXIMATE_VOIGT, true, false>(job);
    case REDISTRIBUTION_COMPLETE:
        return kernels_of<REDISTRIBUTION_COMPLETE, true, false>(job);
    case REDISTRIBUTION_GROUP:
        return kernels_of<REDISTRIBUTION_GROUP, true, false>(job);
    default:
        if (job->absorbing)
            return job->narrow ? kernels_of<REDISTRIBUTION_EXACT, true, true>(job)
                               : kernels_of<REDISTRIBUTION_EXACT, true, false>(job);
        return job->narrow ? kernels_of<REDISTRIBUTION_EXACT, false, true>(job)
                           : kernels_of<REDISTRIBUTION_EXACT, false, false>(job);
    }
}

int processors_of(struct device *device)
{
    int id = 0;
    int processors = 1;
    okay(device, cudaGetDevice(&id));
    okay(device, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, id));
    return processors;
}

int64_t blocks_that_fill(struct device *device, kernel_fn *kernel)
{
    int resident = 1;
    okay(device, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, BLOCK_THREADS, 0));
    return (int64_t)processors_of(device) * resident;
}

/* Threads for the packets: as many as fill the device, or one per packet. */
void choose_threads(struct device *device, const struct transport_job *job, int64_t n_packet, kernel_fn *kernel,
                    struct pass *pass)
{
    const int64_t enough = (n_packet + BLOCK_THREADS - 1) / BLOCK_THREADS;
    const int64_t blocks = job->one_thread_per_packet ? enough : blocks_that_fill(device, kernel);
    pass->n_thread = (unsigned)(blocks * BLOCK_THREADS);
    pass->n_processor = (unsigned)processors_of(device);
    const unsigned few = FEW_WARPS_PER_PROCESSOR * pass->n_processor;
    const unsigned warps = pass->n_thread / WARP;
    pass->few_warps = few < warps ? few : warps;
}

double now()
{
    struct timespec instant;
    clock_gettime(CLOCK_MONOTONIC, &instant);
    return (double)instant.tv_sec + 1e-9 * (double)instant.tv_nsec;
}

/* What the kernels have been told, when they began, and when a stop was first seen, or 0. */
struct requests {
    const struct transport_monitor *monitor;
    cudaStream_t side;
    double start, stopped;
    int told;
};

int find_request(struct requests *requests)
{
    const struct transport_monitor *monitor = requests->monitor;
    const double time = now();
    const bool stopped = *monitor->stop != 0;
    if (stopped && requests->stopped <= 0)
        requests->stopped = time;
    const bool over = monitor->seconds > 0 && time - requests->start > monitor->seconds;
    const bool asked = stopped || (monitor->pause && *monitor->pause);
    if (monitor->put_back)
        return over || asked ? PUT_BACK : GO_ON;
    if (over || (stopped && monitor->patience > 0 && time - requests->stopped > monitor->patience))
        return LEAVE;
    return asked ? FINISH : GO_ON;
}

/* Tells the kernels what the monitor asks for, and returns it. */
int pass_on(struct device *device, const struct pass *pass, struct requests *requests)
{
    const int request = find_request(requests);
    if (request > requests->told) {
        requests->told = request;
        okay(device, cudaMemcpyAsync((void *)pass->stop, &requests->told, sizeof requests->told, cudaMemcpyHostToDevice,
                                     requests->side));
    }
    return requests->told;
}

/* Packets that have ended, and scatterings of long histories. */
void report_progress(struct device *device, const struct pass *pass, const struct requests *requests,
                     struct transport_tally *tally)
{
    const struct transport_monitor *monitor = requests->monitor;
    const cudaStream_t side = requests->side;
    const int n_batch = pass->tally.deal.n_batch;
    unsigned long long overdue = 0;
    double done = 0;
    okay(device, cudaMemcpyAsync(tally->batch, pass->tally.batch, (size_t)n_batch * sizeof *tally->batch,
                                 cudaMemcpyDeviceToHost, side));
    okay(device, cudaMemcpyAsync(&overdue, pass->tally.n_overdue, sizeof overdue, cudaMemcpyDeviceToHost, side));
    if (!okay(device, cudaStreamSynchronize(side)))
        return;
    for (int b = 0; b < n_batch; b++)
        done += tally->batch[b].packets;
    monitor->progress(monitor->user, (int64_t)done - pass->n_before, (double)overdue * FLUSH_EVENTS);
}

/* Waits for the kernel, passing progress out and a stop request in. The pauses grow with the elapsed time, so that they
 * lengthen no run by more than a hundredth. */
void wait_for(struct device *device, const struct pass *pass, struct requests *requests, struct transport_tally *tally,
              cudaEvent_t end)
{
    double since_report = 0;
    double since_start = 0;
    while (cudaEventQuery(end) == cudaErrorNotReady && device->error == cudaSuccess) {
        const double nap = fmin(fmax(0.01 * since_start, 50e-6), 5e-3);
        const struct timespec pause = {0, (long)(nap * 1e9)};
        nanosleep(&pause, NULL);
        since_report += nap;
        since_start += nap;
        pass_on(device, pass, requests);
        if (requests->monitor->progress && since_report > 0.1) {
            since_report = 0;
            report_progress(device, pass, requests, tally);
        }
    }
}

/* Rounds without cameras, each with at most half the packets of the one before, until every packet has a warp to
 * itself. None is waited for: a round without work takes microseconds. Returns how many there are. */
int queue_rounds(struct device *device, const struct pass *pass, struct kernels kernels, cudaStream_t work)
{
    struct pass next = *pass;
    int64_t most = packets_at_once(pass);
    do {
        next.regroups = !pass->one_thread_per_packet && most > pass->few_warps;
        okay(device, cudaMemsetAsync(&pass->rounds[next.round % 2], 0, sizeof *pass->rounds, work));
        kernels.packets<<<pass->n_thread / BLOCK_THREADS, BLOCK_THREADS, 0, work>>>(next);
        next.round++;
        most /= 2;
    } while (next.regroups);
    okay(device, cudaGetLastError());
    return next.round;
}

/* Rounds of packets and cameras until no packet is left. A few are queued ahead of those being waited for, so that the
 * device never waits for the host; a round without work takes microseconds. Returns how many there were. */
int run_rounds(struct device *device, struct requests *requests, struct transport_tally *tally, const struct pass *pass,
               struct kernels kernels, cudaStream_t work, cudaEvent_t begin)
{
    enum { AHEAD = 2, ROUNDS = 4 };
    const unsigned blocks = pass->n_thread / BLOCK_THREADS;
    const int64_t camera_blocks = blocks_that_fill(device, kernels.cameras);
    struct pass next = *pass;
    struct round_counters *counters = NULL;
    cudaEvent_t done[AHEAD] = {};
    next.regroups = !pass->one_thread_per_packet;
    okay(device, cudaMallocHost(&counters, AHEAD * sizeof *counters));
    for (int i = 0; i < AHEAD; i++)
        okay(device, cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    okay(device, cudaEventRecord(begin, work));
    for (int64_t set = 0; device->error == cudaSuccess; set++) {
        const int slot = (int)(set % AHEAD);
        if (set >= AHEAD) {
            wait_for(device, pass, requests, tally, done[slot]);
            okay(device, cudaEventSynchronize(done[slot]));
            if (counters[slot].idle == pass->n_thread)
                break;
            const int request = pass_on(device, pass, requests);
            if (request == LEAVE)
                kernels.leaving<<<blocks, BLOCK_THREADS, 0, work>>>(next);
            if (request > FINISH)
                break;
        }
        for (int i = 0; i < ROUNDS; i++) {
            okay(device, cudaMemsetAsync(&pass->rounds[next.round % 2], 0, sizeof *pass->rounds, work));
            okay(device, cudaMemsetAsync(pass->counters, 0, sizeof *pass->counters, work));
            kernels.packets<<<blocks, BLOCK_THREADS, 0, work>>>(next);
            kernels.cameras<<<(unsigned)camera_blocks, BLOCK_THREADS, 0, work>>>(next);
            next.round++;
        }
        okay(device, cudaGetLastError());
        okay(device, cudaMemcpyAsync(&counters[slot], &pass->rounds[(next.round - 1) % 2], sizeof *counters,
                                     cudaMemcpyDeviceToHost, work));
        okay(device, cudaEventRecord(done[slot], work));
    }
    cudaStreamSynchronize(work);
    for (int i = 0; i < AHEAD; i++)
        cudaEventDestroy(done[i]);
    cudaFreeHost(counters);
    return next.round;
}

/* Returns the number of rounds. */
int launch(struct device *device, const struct transport_monitor *monitor, struct transport_tally *tally,
           const struct pass *pass, struct kernels kernels)
{
    cudaStream_t work = NULL;
    cudaStream_t side = NULL;
    cudaEvent_t begin = NULL;
    cudaEvent_t end = NULL;
    float milliseconds = 0;
    int rounds = 0;
    if (okay(device, cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking)) &&
        okay(device, cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking)) &&
        okay(device, cudaEventCreate(&begin)) && okay(device, cudaEventCreate(&end)) &&
        okay(device, cudaDeviceSynchronize())) {
        struct requests requests = {monitor, side, now(), 0, GO_ON};
        if (kernels.cameras) {
            rounds = run_rounds(device, &requests, tally, pass, kernels, work, begin);
        } else {
            okay(device, cudaEventRecord(begin, work));
            rounds = queue_rounds(device, pass, kernels, work);
        }
        okay(device, cudaEventRecord(end, work));
        wait_for(device, pass, &requests, tally, end);
        okay(device, cudaStreamSynchronize(work));
        okay(device, cudaEventElapsedTime(&milliseconds, begin, end));
    }
    tally->seconds += 1e-3 * (double)milliseconds;
    tally->n_flight = packets_at_once(pass);
    tally->n_steady = (int64_t)pass->few_warps * WARP;
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(work);
    cudaStreamDestroy(side);
    return rounds;
}

bool download_emissivity(struct device *device, const struct transport_job *job, const struct pass *pass,
                         struct transport_tally *tally)
{
    const size_t n = transport_voxel_count(job);
    return job->cameras.wide ? okay(device, cudaMemcpy(tally->emissivity_wide, pass->emissivity_wide,
                                                       n * sizeof *tally->emissivity_wide, cudaMemcpyDeviceToHost))
                             : okay(device, cudaMemcpy(tally->emissivity, pass->emissivity,
                                                       n * sizeof *tally->emissivity, cudaMemcpyDeviceToHost));
}

bool download(struct device *device, const struct transport_job *job, const struct pass *pass,
              struct transport_tally *tally)
{
    const size_t slots = (size_t)job->tally.n_bin + 2;
    const size_t batches = (size_t)job->tally.n_batch;
    unsigned long long n_record = 0;
    okay(device, cudaMemcpy(tally->batch, pass->tally.batch, batches * sizeof *tally->batch, cudaMemcpyDeviceToHost));
    okay(device, cudaMemcpy(tally->face_spectrum, pass->tally.face_spectrum, batches * N_FACE * slots * sizeof(double),
                            cudaMemcpyDeviceToHost));
    okay(device, cudaMemcpy(tally->direction_spectrum, pass->tally.direction_spectrum,
                            batches * (size_t)(job->tally.n_mu * job->tally.n_phi) * slots * sizeof(double),
                            cudaMemcpyDeviceToHost));
    if (job->cones.n > 0)
        okay(device, cudaMemcpy(tally->cone, pass->tally.cone, batches * (size_t)job->cones.n * 2 * sizeof(double),
                                cudaMemcpyDeviceToHost));
    if (tally->lives)
        okay(device, cudaMemcpy(tally->lives, pass->tally.lives, 2 * sizeof *tally->lives, cudaMemcpyDeviceToHost));
    okay(device, cudaMemcpy(&n_record, pass->tally.n_record, sizeof n_record, cudaMemcpyDeviceToHost));
    if (job->tally.record && n_record > 0) {
        okay(device, cudaMemcpy(tally->record + tally->n_record, pass->tally.record, n_record * sizeof *tally->record,
                                cudaMemcpyDeviceToHost));
        tally->n_record += (int64_t)n_record;
    }
    if (job->cameras.n > 0 && job->cameras.keep) {
        spread_kernel<<<4096, 64>>>(pass->view.mesh, job->n_cell, job->cameras.n, job->cameras.n_channel,
                                    pass->emissivity);
        if (!okay(device, cudaGetLastError()) || !okay(device, cudaDeviceSynchronize()))
            return false;
        tally->kept = device_keep(device, pass->emissivity);
    } else if (job->cameras.n > 0 && !download_emissivity(device, job, pass, tally)) {
        return false;
    }
    if (job->tally.fields)
        okay(device,
             cudaMemcpy(tally->fields, pass->tally.fields,
                        (size_t)job->tally.n_group * (size_t)job->n_cell * 2 * sizeof(double), cudaMemcpyDeviceToHost));
    return device->error == cudaSuccess;
}

double packets_ended(const struct transport_job *job, const struct transport_tally *tally)
{
    double n = 0;
    for (int b = 0; b < job->tally.n_batch; b++)
        n += tally->batch[b].packets;
    return n;
}

/* What is left to do: packets that nobody has taken, and those that were put back. The others have ended, or they have
 * been left for good. */
void conclude(struct device *device, const struct transport_job *job, bool put_back, const struct pass *pass,
              int rounds, double ended, struct transport_tally *tally)
{
    struct transport_todo *todo = &tally->todo;
    const int64_t end = pass->n_flight + pass->n_packet;
    unsigned long long queue = 0;
    okay(device, cudaMemcpy(&queue, pass->queue, sizeof queue, cudaMemcpyDeviceToHost));
    const int64_t taken = (int64_t)queue < end ? (int64_t)queue : end;
    const int64_t taken_up = taken < pass->n_flight ? taken : pass->n_flight;
    drop_flight(todo, taken_up);
    if (todo->n_range > 0)
        todo->range[0].first += taken - taken_up;
    const int64_t back = put_back ? fetch_flight(device, pass, rounds - 1, job->absorbing, todo) : 0;
    tally->n_left += taken - back - (int64_t)ended;
}

/* Follows the packets in flight and, unless there was a stop, those of the first range; n_before had ended before the
 * call of the backend. */
void run_range(struct device *device, const struct transport_job *job, const struct transport_monitor *monitor,
               struct transport_tally *tally, int64_t n_before)
{
    struct pass pass = {};
    struct requests first = {monitor, NULL, now(), 0, GO_ON};
    const int asked = find_request(&first);
    pass.n_before = n_before;
    pass.n_flight = tally->todo.n_flight;
    if (tally->todo.n_range > 0 && asked == GO_ON) {
        const struct packet_range range = tally->todo.range[0];
        pass.first_packet = range.first;
        pass.n_packet = range.end - range.first;
    }
    if (asked > FINISH || pass.n_flight + pass.n_packet == 0)
        return;
    const double ended = packets_ended(job, tally);
    const struct kernels kernels = choose_kernels(job);
    choose_threads(device, job, pass.n_flight + pass.n_packet, kernels.packets, &pass);
    if (device->error == cudaSuccess && upload(device, job, tally, &pass) && find_shades(device, &pass.view)) {
        const int rounds = launch(device, monitor, tally, &pass, kernels);
        if (device->error == cudaSuccess && download(device, job, &pass, tally))
            conclude(device, job, monitor->put_back, &pass, rounds, packets_ended(job, tally) - ended, tally);
    } else if (device->error == cudaSuccess) {
        okay(device, cudaErrorMemoryAllocation); /* on the host */
    }
    tally->begun = true;
}

} // namespace

enum lr_status VARIANT_NAME(cuda_transport_,
                            LR_CUDA_VARIANT)(cuda_fail_fn *fail, lr_context *ctx, const struct transport_job *job,
                                             const struct transport_monitor *monitor, struct transport_tally *tally)
{
    struct transport_todo *todo = &tally->todo;
    const int64_t n_before = (int64_t)packets_ended(job, tally);
    cudaError_t error = cudaSuccess;
    if (job->one_thread_per_packet && todo_numbers(todo) > INT32_MAX - BLOCK_THREADS)
        return fail(ctx, LR_ERROR_INPUT, "run.scheduling: static starts one thread per packet, at most 2e9; use queue");
    if (todo->n_flight > 0 && todo->n_value != STORED_NUMBERS)
        return fail(ctx, LR_ERROR_INPUT,
                    "packets in flight were stored by another version of linerad; finish the run with that one");
    if (todo->n_flight > 0 && job->one_thread_per_packet)
        return fail(ctx, LR_ERROR_INPUT, "run.scheduling: static cannot go on with packets in flight; use queue");
    while (error == cudaSuccess && (todo->n_flight > 0 || todo->n_range > 0)) {
        struct device device = {};
        run_range(&device, job, monitor, tally, n_before);
        device_release(&device);
        error = device.error;
        const bool began_all = todo->n_range == 0 || todo->range[0].first == todo->range[0].end;
        if (began_all && todo->n_range > 0) {
            todo->n_range--;
            for (int r = 0; r < todo->n_range; r++)
                todo->range[r] = todo->range[r + 1];
        }
        if (todo->n_flight > 0 || !began_all) /* the host has asked for it */
            break;
    }
    if (error == cudaErrorMemoryAllocation)
        return fail(ctx, LR_ERROR_MEMORY,
                    "cuda:%d has too little free memory for %lld cells: use a smaller mesh or "
                    "'output.fields: false'",
                    device_number(), (long long)job->n_cell);
    if (error != cudaSuccess)
        return cuda_fault(fail, ctx, "the transport of packets", error);
    return LR_OK;
}
