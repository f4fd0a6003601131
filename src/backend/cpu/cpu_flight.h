/* Where lanes get packets from, and where those go that are put back: numbers of packets that have not begun, and
 * packets in the middle of their lives (kernel/packet_store.h). Included by cpu_transport.c, once per precision and
 * instruction set. */
#ifndef LR_BACKEND_CPU_CPU_FLIGHT_H
#define LR_BACKEND_CPU_CPU_FLIGHT_H

#include "backend/cpu/cpu_pass.h"
#include "backend/todo.h"
#include "kernel/packet_store.h"

enum { QUEUE_CHUNK = 8 };

/* Packets that a thread has taken but not started, by their order among those to do. */
struct supply {
    int64_t next, end;
    int exhausted;
};

static void supply_begin(const struct pass *pass, int64_t thread, int64_t threads, struct supply *supply)
{
    *supply = (struct supply){0, 0, 0};
    if (pass->job->one_thread_per_packet) {
        const int64_t n = todo_numbers(&pass->tally->todo);
        supply->next = n / threads * thread + n % threads * thread / threads;
        supply->end = n / threads * (thread + 1) + n % threads * (thread + 1) / threads;
    }
}

static int is_asked_to_stop(const struct transport_monitor *monitor)
{
    return *monitor->stop || (monitor->pause && *monitor->pause);
}

/* Takes a few packets; if there are none, others may be added to the list. (Critical sections have no names: gcc would
 * export them.) */
static void supply_take_shared(struct pass *pass, struct supply *supply)
{
#pragma omp critical
    {
        if (pass->next == pass->end)
            pass->end += pass->monitor->more(pass->monitor->more_user, &pass->tally->todo);
        supply->next = pass->next;
        supply->end = pass->next + QUEUE_CHUNK < pass->end ? pass->next + QUEUE_CHUNK : pass->end;
        pass->next = supply->end;
    }
}

static void supply_take_own(struct pass *pass, struct supply *supply)
{
    int64_t first = pass->end;
    if (!pass->job->one_thread_per_packet) {
#pragma omp atomic capture
        {
            first = pass->next;
            pass->next += QUEUE_CHUNK;
        }
    }
    if (first >= pass->end)
        return;
    supply->next = first;
    supply->end = first + QUEUE_CHUNK < pass->end ? first + QUEUE_CHUNK : pass->end;
}

/* The number of the next packet; -1: no more. */
static int64_t supply_take(struct pass *pass, struct supply *supply)
{
    if (supply->exhausted || is_asked_to_stop(pass->monitor))
        return -1;
    if (pass->job->trace) {
        supply->exhausted = 1;
        return pass->job->trace->packet;
    }
    if (supply->next == supply->end) {
        if (pass->monitor->more && !pass->job->one_thread_per_packet)
            supply_take_shared(pass, supply);
        else
            supply_take_own(pass, supply);
        if (supply->next == supply->end) {
            supply->exhausted = 1;
            return -1;
        }
    }
    return todo_number(&pass->tally->todo, supply->next++);
}

/* Takes up one of the packets in flight; returns whether there was one. */
static int flight_take(struct pass *pass, struct lanes *lane, int l)
{
    const struct transport_todo *todo = &pass->tally->todo;
    int64_t flight;
#pragma omp atomic read
    flight = pass->next_flight;
    if (flight >= todo->n_flight)
        return 0;
#pragma omp atomic capture
    flight = pass->next_flight++;
    if (flight >= todo->n_flight)
        return 0;
    struct packet p;
    lane_get(lane, l, &p);
    packet_load(todo->flight + flight * STORED_NUMBERS, &p, &lane->last[l]);
    packet_enter(&pass->view, &p);
    lane_put(lane, l, &p);
    return 1;
}

/* Room for everything that can be put back: a rest for each thread, and all lanes. */
static int flight_reserve(struct pass *pass, int threads)
{
    const struct transport_todo *todo = &pass->tally->todo;
    const size_t ranges = ((size_t)threads + 1) * (size_t)(todo->n_range + pass->monitor->n_more + 1);
    const size_t flights = (size_t)threads * LANES + (size_t)todo->n_flight;
    pass->back.n_value = STORED_NUMBERS;
    pass->back.range = malloc(ranges * sizeof *pass->back.range);
    pass->back.flight = malloc(flights * STORED_NUMBERS * sizeof(double));
    return pass->back.range && pass->back.flight;
}

static void flight_put_back(struct pass *pass, const struct lanes *lane)
{
#pragma omp critical
    for (int l = 0; l < LANES; l++)
        if (lane->state[l] != PACKET_GONE) {
            struct packet p;
            lane_get(lane, l, &p);
            packet_store(&p, &lane->last[l], pass->back.flight + STORED_NUMBERS * pass->back.n_flight++);
        }
}

static void supply_put_back(struct pass *pass, const struct supply *supply)
{
#pragma omp critical
    todo_add_part(&pass->tally->todo, supply->next, supply->end, &pass->back);
}

/* What is left to do takes the place of what there was: in order, with neighbouring ranges joined. */
static void flight_conclude(struct pass *pass)
{
    struct transport_todo *todo = &pass->tally->todo, *back = &pass->back;
    const int64_t rest = todo->n_flight > pass->next_flight ? todo->n_flight - pass->next_flight : 0;
    todo_add_part(todo, pass->next, pass->end, back);
    if (rest > 0)
        memcpy(back->flight + STORED_NUMBERS * back->n_flight, todo->flight + STORED_NUMBERS * pass->next_flight,
               (size_t)rest * STORED_NUMBERS * sizeof(double));
    back->n_flight += rest;
    todo_tidy(back);
    todo_free(todo);
    *todo = *back;
    *back = (struct transport_todo){0};
}

#endif
