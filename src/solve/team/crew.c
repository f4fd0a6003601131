#define _POSIX_C_SOURCE 200809L
#include "solve/team/crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/context.h"

static const long NAP = 2000000;  /* ns, between looks at the monitor */
static const double REPORT = 0.1; /* s, between reports of progress */

/* What the threads share; `lock` guards the number of those that have ended. */
struct office {
    struct crew *crew;
    enum lr_status (*task)(void *user, lr_context *ctx, int place);
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t news;
    int n_ended;
    bool failed;
};

struct member {
    struct office *office;
    lr_context own;
    int place;
    pthread_t thread;
    enum lr_status status;
};

static void *run(void *user)
{
    struct member *member = user;
    struct office *office = member->office;
    member->status = office->task(office->user, &member->own, member->place);
    pthread_mutex_lock(&office->lock);
    office->n_ended++;
    office->failed = office->failed || member->status != LR_OK;
    pthread_cond_signal(&office->news);
    pthread_mutex_unlock(&office->lock);
    return NULL;
}

static void report(const struct crew *crew)
{
    int64_t done = 0;
    double scatterings = 0;
    for (int i = 0; i < crew->n; i++) {
        int64_t own;
        double events;
        __atomic_load(&crew->count[i].done, &own, __ATOMIC_RELAXED);
        __atomic_load(&crew->count[i].scatterings, &events, __ATOMIC_RELAXED);
        done += own;
        scatterings += events;
    }
    if (crew->whole->progress)
        crew->whole->progress(crew->whole->user, done, scatterings);
}

static void look(struct crew *crew, bool failed, double start)
{
    const struct transport_monitor *whole = crew->whole;
    const bool over = whole->seconds > 0 && lr_seconds() - start > whole->seconds;
    if (failed || (whole->stop && *whole->stop))
        crew->stop = 1;
    if (failed || (whole->put_back && (over || (whole->pause && *whole->pause))))
        crew->pause = 1;
}

/* The caller's part, until `n` threads have ended. */
static void wait_for_all(struct office *office, int n)
{
    const double start = lr_seconds();
    double last_report = start;
    pthread_mutex_lock(&office->lock);
    while (office->n_ended < n) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += NAP;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&office->news, &office->lock, &until);
        const bool failed = office->failed;
        pthread_mutex_unlock(&office->lock); /* others end while progress is reported */
        look(office->crew, failed, start);
        if (lr_seconds() - last_report > REPORT) {
            report(office->crew);
            last_report = lr_seconds();
        }
        pthread_mutex_lock(&office->lock);
    }
    pthread_mutex_unlock(&office->lock);
}

/* A stop is an error only if there is no other. */
static enum lr_status worst_of(lr_context *ctx, const struct member *members, int n)
{
    const struct member *worst = NULL;
    for (int i = 0; i < n; i++)
        if (members[i].status != LR_OK && (!worst || worst->status == LR_ERROR_INTERRUPTED))
            worst = &members[i];
    return worst ? lr_fail(ctx, worst->status, "%s", worst->own.error) : LR_OK;
}

enum lr_status crew_work(lr_context *ctx, struct crew *crew,
                         enum lr_status (*task)(void *user, lr_context *ctx, int place), void *user)
{
    struct office office = {.crew = crew, .task = task, .user = user};
    struct member *members = NULL;
    int n = 0;
    LR_TRY(lr_allocate(ctx, (size_t)crew->n, sizeof *members, &members));
    pthread_mutex_init(&office.lock, NULL);
    pthread_cond_init(&office.news, NULL);
    for (bool started = true; started && n < crew->n; n += started) {
        members[n].office = &office;
        members[n].place = n;
        started = pthread_create(&members[n].thread, NULL, run, &members[n]) == 0;
    }
    if (n < crew->n)
        crew->stop = crew->pause = 1;
    wait_for_all(&office, n);
    for (int i = 0; i < n; i++)
        pthread_join(members[i].thread, NULL);
    pthread_cond_destroy(&office.news);
    pthread_mutex_destroy(&office.lock);
    enum lr_status status = worst_of(ctx, members, n);
    if (status == LR_OK && n < crew->n)
        status = lr_fail(ctx, LR_ERROR_MEMORY, "no thread can be started for device %d of %d", n + 1, crew->n);
    free(members);
    return status;
}

void crew_count(void *user, int64_t done, double scatterings)
{
    struct crew_count *count = user;
    int64_t all = count->before + done;
    __atomic_store(&count->done, &all, __ATOMIC_RELAXED);
    __atomic_store(&count->scatterings, &scatterings, __ATOMIC_RELAXED);
}
