/* rng.h against the known answers published with Random123 (kat_vectors: "philox4x32 7"), through a second
 * implementation written from Salmon et al. 2011, section 3.3, which must reproduce them first. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/rng.h"
#include "ks.h"

struct words {
    uint32_t w[4];
};

/* Seven rounds: multiply two words, swap the high halves across with the key and the other two words, step the key. */
static struct words philox(struct words counter, uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 7; round++) {
        const uint64_t p = (uint64_t)0xD2511F53 * counter.w[0];
        const uint64_t q = (uint64_t)0xCD9E8D57 * counter.w[2];
        counter = (struct words){{(uint32_t)(q >> 32) ^ counter.w[1] ^ key0, (uint32_t)q,
                                  (uint32_t)(p >> 32) ^ counter.w[3] ^ key1, (uint32_t)p}};
        key0 += 0x9E3779B9; /* golden ratio */
        key1 += 0xBB67AE85; /* sqrt(3) - 1 */
    }
    return counter;
}

static void test_second_implementation_gives_the_published_answers(void **state)
{
    static const struct {
        struct words counter;
        uint32_t key[2];
        struct words answer;
    } known[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}}},
        {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
         {0xffffffff, 0xffffffff},
         {{0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {0xa4093822, 0x299f31d0},
         {{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct words answer = philox(known[i].counter, known[i].key[0], known[i].key[1]);
        assert_memory_equal(&answer, &known[i].answer, sizeof answer);
    }
}

static void assert_draw(uint64_t seed, uint32_t draw, uint64_t id)
{
    const struct random4 found = rng_draw(rng_key_from_seed(seed), draw, (uint32_t)id, (uint32_t)(id >> 32));
    const struct words counter = {{draw, 0, (uint32_t)id, (uint32_t)(id >> 32)}};
    const struct words expected = philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
    assert_int_equal(found.r0, expected.w[0]);
    assert_int_equal(found.r1, expected.w[1]);
    assert_int_equal(found.r2, expected.w[2]);
    assert_int_equal(found.r3, expected.w[3]);
}

/* The same words in both precisions, since both are compared with the same integers. */
static void test_draws_are_philox_of_seed_draw_and_packet(void **state)
{
    (void)state;
    const struct random4 zero = rng_draw(rng_key_from_seed(0), 0, 0, 0);
    assert_int_equal(zero.r0, 0x5f6fb709); /* the published answer, directly */
    assert_int_equal(zero.r3, 0x4f730a48);
    uint64_t mixed = 1;
    for (int i = 0; i < 10000; i++) {
        const uint64_t seed = mixed;
        mixed = mixed * 6364136223846793005u + 1442695040888963407u;
        assert_draw(seed, (uint32_t)(mixed >> 20), mixed ^ (mixed << 13));
        assert_draw(0, (uint32_t)i, (uint64_t)1 << (i % 64));
    }
}

/* In (0, 1], increasing, and within rounding of (random + 1/2) / 2^32. */
static void test_uniform_numbers_are_above_zero_and_at_most_one(void **state)
{
    (void)state;
    assert_true(rng_uniform(0) > 0);
    assert_true(rng_uniform(0xffffffff) <= R(1));
    real previous = 0;
    for (uint64_t word = 0; word <= 0xffffffff; word = word + 1 + word / 997) {
        const real uniform = rng_uniform((uint32_t)word);
        const double exact = ((double)word + 0.5) / 4294967296.0;
        assert_true(uniform > 0 && uniform <= R(1) && uniform >= previous);
        assert_true(fabs((double)uniform - exact) <= exact * (double)R_EPSILON);
        previous = uniform;
    }
}

/* Uniform along a packet, and over packets at a fixed draw. */
static void test_uniform_numbers_are_uniform(void **state)
{
    (void)state;
    for (int by_packet = 0; by_packet < 2; by_packet++) {
        struct ks ks[4] = {{0}};
        for (uint32_t k = 0; k < KS_DRAWS(1000000); k++) {
            const struct random4 r = rng_draw(rng_key_from_seed(7), by_packet ? 5 : k, by_packet ? k : 5, 0);
            ks_add(&ks[0], (double)rng_uniform(r.r0));
            ks_add(&ks[1], (double)rng_uniform(r.r1));
            ks_add(&ks[2], (double)rng_uniform(r.r2));
            ks_add(&ks[3], (double)rng_uniform(r.r3));
        }
        for (int word = 0; word < 4; word++)
            assert_true(ks_distance(&ks[word]) < KS_LAMBDA);
    }
}

struct stream {
    uint64_t seed, id;
    uint32_t first;
};

static void get_uniforms(struct stream stream, uint32_t k, double u[4])
{
    const struct random4 r =
        rng_draw(rng_key_from_seed(stream.seed), stream.first + k, (uint32_t)stream.id, (uint32_t)(stream.id >> 32));
    u[0] = (double)rng_uniform(r.r0) - 0.5;
    u[1] = (double)rng_uniform(r.r1) - 0.5;
    u[2] = (double)rng_uniform(r.r2) - 0.5;
    u[3] = (double)rng_uniform(r.r3) - 0.5;
}

/* The largest of the 16 correlations between the words of two streams, in standard deviations. */
static double largest_correlation(struct stream p, struct stream q, int n)
{
    double sum[4][4] = {{0}};
    for (uint32_t k = 0; k < (uint32_t)n; k++) {
        double u[4];
        double v[4];
        get_uniforms(p, k, u);
        get_uniforms(q, k, v);
        for (int i = 0; i < 16; i++)
            sum[i / 4][i % 4] += u[i / 4] * v[i % 4];
    }
    double largest = 0;
    for (int i = 0; i < 16; i++)
        largest = fmax(largest, fabs(sum[i / 4][i % 4]) * 12 / sqrt(n));
    return largest;
}

static void test_streams_are_uncorrelated(void **state)
{
    static const struct stream pairs[][2] = {
        {{1, 0, 0}, {1, 1, 0}},                       /* neighbouring packets */
        {{1, 41, 0}, {1, 40, 0}},                     /* */
        {{1, 3, 0}, {1, 3 + ((uint64_t)1 << 32), 0}}, /* the high word of the packet counts */
        {{1, 3, 0}, {1, 3 + ((uint64_t)1 << 63), 0}}, /* */
        {{1, 0, 0}, {2, 0, 0}},                       /* neighbouring seeds */
        {{1, 0, 0}, {1 + ((uint64_t)1 << 32), 0, 0}}, /* the high word of the seed counts */
        {{1, 0, 0}, {1, 0, 1}},                       /* consecutive draws of one packet */
        {{1, 7, 0}, {1, 0, 7}},                       /* packet and draw are not interchangeable */
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_true(largest_correlation(pairs[i][0], pairs[i][1], KS_DRAWS(400000)) < KS_NORMAL + 0.6); /* 16 at once */
}

/* The words of one block are the four numbers of one event: uncorrelated among themselves. */
static void test_words_of_a_draw_are_uncorrelated(void **state)
{
    const int n = KS_DRAWS(1000000);
    double sum[4][4] = {{0}};
    (void)state;
    for (uint32_t k = 0; k < (uint32_t)n; k++) {
        double u[4];
        get_uniforms((struct stream){3, k, 2}, 0, u);
        for (int i = 0; i < 16; i++)
            sum[i / 4][i % 4] += u[i / 4] * u[i % 4];
    }
    for (int i = 0; i < 16; i++)
        if (i / 4 != i % 4)
            assert_true(fabs(sum[i / 4][i % 4]) * 12 / sqrt(n) < KS_NORMAL);
}

static int compare_words(const void *p, const void *q)
{
    return memcmp(p, q, sizeof(struct words));
}

/* Philox is a bijection of the counter: no two (draw, packet) pairs share a block. */
static void test_no_block_is_used_twice(void **state)
{
    enum { N_DRAW = 64, N_PACKET = 512, N = N_DRAW * N_PACKET };
    struct words *words = malloc(N * sizeof *words);
    (void)state;
    assert_non_null(words);
    for (int i = 0; i < N; i++) {
        const int packet = i / N_DRAW;
        const struct random4 r =
            rng_draw(rng_key_from_seed(1), (uint32_t)(i % N_DRAW), (uint32_t)packet / 2, (uint32_t)packet % 2);
        words[i] = (struct words){{r.r0, r.r1, r.r2, r.r3}};
    }
    qsort(words, N, sizeof *words, compare_words);
    for (int i = 1; i < N; i++)
        assert_true(compare_words(&words[i - 1], &words[i]) != 0);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_implementation_gives_the_published_answers),
        cmocka_unit_test(test_draws_are_philox_of_seed_draw_and_packet),
        cmocka_unit_test(test_uniform_numbers_are_above_zero_and_at_most_one),
        cmocka_unit_test(test_uniform_numbers_are_uniform),
        cmocka_unit_test(test_streams_are_uncorrelated),
        cmocka_unit_test(test_words_of_a_draw_are_uncorrelated),
        cmocka_unit_test(test_no_block_is_used_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
