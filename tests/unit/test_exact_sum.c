/* Sums whose terms are rounded to a quantum: the order of additions does not matter, and the mean is right. */
#include "model_fixture.h"

#include <math.h>
#include <string.h>

#include "kernel/exact_sum.h"
#include "solve/transport/quanta.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

enum { TERMS = 100000 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed;
}

/* Terms over ten decades, as far-wing and core photons have them. */
static double term(int i)
{
    uint32_t seed = (uint32_t)i * 2654435761u + 1u;
    return exp(-23.0 * (double)next_random(&seed) / 4294967296.0);
}

static double sum_from(int first, int step, double quantum)
{
    double sum = 0;
    for (int k = 0, i = first; k < TERMS; k++, i = (i + step) % TERMS)
        exact_add(&sum, term(i), quantum, quantum_offset(scrambled((uint32_t)i)));
    return sum;
}

static void the_order_of_additions_does_not_matter(void **state)
{
    (void)state;
    const double quantum = ldexp(1, -34); /* the sum is about 4000 */
    const double sum = sum_from(0, 1, quantum);
    const int steps[] = {3, 7, 99999, 31337}; /* without a common factor with TERMS, so that each visits all terms */
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        assert_true(sum_from(17, steps[k], quantum) == sum);
    assert_true(sum_from(17, 31337, 0) != sum_from(0, 1, 0)); /* as it does without rounding */
    assert_true(fabs(sum - sum_from(0, 1, 0)) < 10 * sqrt(TERMS) * quantum);
}

static void small_terms_count_on_average(void **state)
{
    (void)state;
    const double parts[] = {0.003, 0.4, 0.5, 1.7};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        double sum = 0;
        for (uint32_t i = 0; i < TERMS; i++)
            sum += round_to_quantum(parts[k], 1, quantum_offset(scrambled(i)));
        const double part = parts[k] - floor(parts[k]);
        assert_true(fabs(sum / TERMS - parts[k]) < 5 * sqrt(part * (1 - part) / TERMS));
    }
}

static void multiples_stay_what_they_are(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TERMS; i++) {
        const double value = ldexp((double)(int32_t)(i * 2654435761u), -20);
        assert_true(round_to_quantum(value, ldexp(1, -20), quantum_offset(scrambled(i))) == value);
        assert_true(round_to_quantum(value / 3, 0, quantum_offset(scrambled(i))) == value / 3);
    }
    assert_true(fabs(quantum_offset(0)) < 0.5);
    assert_true(power_of_two_in(0) == 0 && power_of_two_in(1) == 1 && power_of_two_in(0.99) == 0.5);
    assert_true(power_of_two_in(1e300) <= 1e300 && 2 * power_of_two_in(1e300) > 1e300);
}

/* A job whose quanta are known, with one number of each kind of sum. */
struct sums {
    struct prepared prepared;
    struct transport_batch batch[2];
    double fields[2 * 2 * 5];
    struct transport_tally tally;
};

static void prepare_sums(struct fixture *f, struct sums *sums)
{
    *sums = (struct sums){0};
    LOAD(f, "mesh={shells: 4, inner: 0.5 pc, outer: 1 pc}", "medium={b: 1 km/s, opacity: 300 1/pc}",
         "run={packets: 1000, batches: 2}");
    assert_int_equal(job_prepare(f->ctx, f->model, &sums->prepared), LR_OK);
    sums->prepared.job.tally.n_group = 2;
    quanta_choose(f->model, &sums->prepared.job);
    sums->tally.batch = sums->batch;
    sums->tally.fields = sums->fields;
}

/* A hundred times what a packet can be expected to do leaves room, and is still resolved to 1e-9. */
static void quanta_suit_the_run(void **state)
{
    struct fixture *f = *state;
    struct sums sums;
    prepare_sums(f, &sums);
    const struct sum_quanta *q = &sums.prepared.job.tally.quanta;
    const double radius = 1, depth = 300, chord = 4.0 / 3 * 0.5; /* of the cavity, the largest cell */
    const double bound[] = {500, 500 * 100 * radius, 500 * 1.6 * depth, 500 * 9, 500 * 100 * chord, 500 * 10 * chord};
    const double usual[] = {1, radius, depth, 1, 0.25, 0.25};
    const double quantum[] = {q->weight, q->path, q->scatterings, q->cone, q->length, q->depth};
    for (int k = 0; k < 6; k++) {
        assert_true(power_of_two_in(quantum[k]) == quantum[k] && quantum[k] > 0);
        assert_true(ldexp(quantum[k], 52) > bound[k]);
        assert_true(quantum[k] < 1e-8 * usual[k]);
    }
    assert_true(q->light == 0); /* there is no camera */
    job_free(&sums.prepared);
}

/* Packets scatter as often in a refined mesh as in a plain one of the same depth. */
static void quanta_know_the_depth_of_every_mesh(void **state)
{
    struct fixture *f = *state;
    const char *const mesh[] = {
        "mesh={cells: [4, 4, 4], size: [2 pc, 2 pc, 2 pc]}",
        "mesh={cells: [4, 4, 4], size: [2 pc, 2 pc, 2 pc], refine: [{slab: {axis: x, from: 0 pc, to: 1 pc}, levels: "
        "1}]}",
    };
    for (int k = 0; k < 2; k++) {
        struct prepared prepared;
        LOAD(f, mesh[k], "medium={b: 1 km/s, opacity: 1e4 1/pc}", "run={packets: 1000, batches: 2}");
        assert_int_equal(job_prepare(f->ctx, f->model, &prepared), LR_OK);
        prepared.job.tally.n_group = 2;
        quanta_choose(f->model, &prepared.job);
        assert_true(ldexp(prepared.job.tally.quanta.scatterings, 52) > 500 * 1.6 * 2e4);
        job_free(&prepared);
    }
}

static void sums_that_grow_too_large_are_noticed(void **state)
{
    struct fixture *f = *state;
    struct sums sums;
    prepare_sums(f, &sums);
    const struct transport_job *job = &sums.prepared.job;
    const struct sum_quanta *q = &job->tally.quanta;
    assert_null(quanta_exceeded(job, &sums.tally));
    sums.batch[1].path = ldexp(q->path, 53);
    sums.fields[2 * 9] = ldexp(q->length, 53);
    assert_null(quanta_exceeded(job, &sums.tally));
    sums.batch[1].path *= 1.0001;
    assert_string_equal(quanta_exceeded(job, &sums.tally), "paths");
    sums.batch[1].path = 0;
    sums.fields[2 * 9] *= 1.0001;
    assert_string_equal(quanta_exceeded(job, &sums.tally), "paths or scatterings in a cell");
    sums.fields[2 * 9] = 0;
    sums.fields[2 * 9 + 1] = 1.0001 * 256 * ldexp(q->depth, 53); /* alpha0 is 300: in proportion to 256 */
    assert_string_equal(quanta_exceeded(job, &sums.tally), "paths or scatterings in a cell");
    sums.fields[2 * 9 + 1] = 0.9999 * 256 * ldexp(q->depth, 53);
    assert_null(quanta_exceeded(job, &sums.tally));
    sums.batch[0].absorbed = ldexp(q->weight, 54);
    assert_string_equal(quanta_exceeded(job, &sums.tally), "weights of packets");
    job_free(&sums.prepared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_additions_does_not_matter),
        cmocka_unit_test(small_terms_count_on_average),
        cmocka_unit_test(multiples_stay_what_they_are),
        RUN(quanta_suit_the_run),
        RUN(quanta_know_the_depth_of_every_mesh),
        RUN(sums_that_grow_too_large_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
