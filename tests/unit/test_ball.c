/* ball.h, ball_trial.h and ball_make.c: records of photons that leave a ball, against direct simulation of the exact
 * process with redistribution.h alone, all scatterings followed. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "kernel/ball_trial.h"
#include "solve/balls/ball_make.h"
#include "solve/balls/ball_thin.h"

static const double A = 0.01; /* x_wing = 2.2 */

/* ---- the exact process ------------------------------------------------------------------------------------------- */

/* What is compared: left in the wing, and for those in the core and in the wing path, scatterings, |x|, cosine of the
 * place to the initial direction, cosine of the final direction to it and to the radius, last flight. */
enum { N_OF_PART = 7, N_MOMENT = 1 + 2 * N_OF_PART };
struct moments {
    double sum[N_MOMENT], square[N_MOMENT];
};

static void note(struct moments *m, const struct ball_exit *out, double x_wing)
{
    const int wing = fabs((double)out->x) > x_wing;
    const double value[N_OF_PART] = {(double)out->path,    (double)out->scatterings,
                                     fabs((double)out->x), (double)out->place.z,
                                     (double)out->n.z,     (double)vec3_dot(out->place, out->n),
                                     (double)out->last};
    m->sum[0] += wing;
    for (int i = 0; i < N_OF_PART; i++) {
        m->sum[1 + wing * N_OF_PART + i] += value[i];
        m->square[1 + wing * N_OF_PART + i] += value[i] * value[i];
    }
}

static struct ball_exit follow(double a, double radius, double x, const struct ball_gas *phase, uint32_t number)
{
    const struct rng_key key = rng_key_from_seed(1931);
    uint32_t draw = 0;
    struct ball_photon photon = {.n = {0, 0, 1}, .x = (real)x};
    for (;;) {
        struct velocity_proposal atom;
        do
            atom = propose_velocity((real)a, photon.x, rng_draw(key, draw++, number, 0), a <= LR_NARROW_DAMPING);
        while (atom.uniform > atom.chance);
        const struct random4 random = rng_draw(key, draw++, number, 0);
        const struct vec3 n = ball_direction(phase, &photon, random);
        ball_scatter(&photon, atom.u, thermal_pair(random.r2, random.r3).first, n);
        const double along = (double)vec3_dot(photon.at, n);
        const double surface =
            -along + sqrt(fmax(along * along + radius * radius - (double)vec3_dot(photon.at, photon.at), 0));
        const double length =
            -log((double)rng_uniform(rng_draw(key, draw++, number, 0).r0)) / (double)voigt((real)a, photon.x);
        const real flown = (real)fmin(length, surface);
        photon.at = vec3_make(photon.at.x + flown * n.x, photon.at.y + flown * n.y, photon.at.z + flown * n.z);
        photon.path += flown;
        photon.last += flown;
        if (length >= surface)
            return ball_exit_of(&photon, (real)radius);
    }
}

/* ---- tables against it ------------------------------------------------------------------------------------------- */

/* Compares a row with `n` photons that were followed; errors add in squares. */
static void compare_row(const struct ball_table *table, const struct ball_wish *wish, int level, int row, int n)
{
    struct ball_gas gas;
    ball_gas_make(table->a, &gas);
    gas.dipole = wish->dipole;
    gas.dipole_core = (real)wish->dipole_core;
    gas.dipole_wing = (real)wish->dipole_wing;
    struct moments exact = {0};
    for (int i = 0; i < n; i++) {
        const struct ball_exit out =
            follow(table->a, (double)ball_radius(level), (double)ball_row_x(row), &gas, (uint32_t)i);
        note(&exact, &out, (double)gas.x_wing);
    }
    const struct ball_row *from = &table->row[table->level[level].first_row + row];
    struct moments kept = {0};
    for (int wing = 0; wing < 2; wing++) {
        for (uint32_t i = 0; i < from->n[wing]; i++) {
            const struct ball_exit out =
                ball_read(&table->record[from->first[wing] + i], from, wing, vec3_make(R(0), R(0), R(1)),
                          ball_row_x(row), rng_draw(rng_key_from_seed(5), i, 0, 0));
            note(&kept, &out, (double)gas.x_wing);
        }
    }
    const double bound = 4.5;
    const double chance = exact.sum[0] / n;
    assert_true(fabs((double)from->wing - chance) <
                bound * sqrt(chance * (1 - chance) / n + 4 * chance * chance / (2.0 * (double)wish->trials)));
    for (int i = 1; i < N_MOMENT; i++) {
        const int wing = i > N_OF_PART;
        const double n_exact = wing ? exact.sum[0] : n - exact.sum[0];
        const double mean = exact.sum[i] / n_exact;
        const double variance = exact.square[i] / n_exact - mean * mean;
        const double table_mean = kept.sum[i] / from->n[wing];
        const double error = sqrt(variance * (1 / n_exact + 2.0 / from->n[wing]));
        if (!(fabs(table_mean - mean) < bound * error))
            fail_msg("level %d row %d moment %d: %.6g, not %.6g +- %.2g", level, row, i, table_mean, mean, error);
    }
}

static int count_reports(void *to, double done)
{
    assert_true(done > 0 && done <= 1);
    return ++*(int *)to == 2;
}

static void balls_are_left_as_in_the_exact_process(void **state)
{
    (void)state;
    struct ball_table table;
    struct lr_context context = {.stop = 0};
    struct ball_wish wish = {
        .a = A, .n_level = 3, .trials = 8192, .kept = 4096, .seed = 7, .backend = backend_cpu(), .ctx = &context};
    assert_int_equal(ball_table_make(&wish, &table), BALL_MADE);
    assert_int_equal(table.n_level, 3);
    compare_row(&table, &wish, 0, 0, 40000);
    compare_row(&table, &wish, 0, 4, 40000);
    compare_row(&table, &wish, 2, 0, 20000);
    compare_row(&table, &wish, 2, table.level[2].n_row - 1, 20000);
    ball_table_free(&table);

    wish.dipole = 1;
    wish.dipole_core = 0.5;
    wish.dipole_wing = 1;
    assert_int_equal(ball_table_make(&wish, &table), BALL_MADE);
    compare_row(&table, &wish, 1, 2, 20000);
    ball_table_free(&table);
}

static void tables_do_not_depend_on_threads(void **state)
{
    (void)state;
    struct ball_table one;
    struct ball_table two;
    struct lr_context context = {.stop = 0};
    struct ball_wish wish = {.a = A,
                             .n_level = 2,
                             .trials = 2048,
                             .kept = 256,
                             .seed = 3,
                             .backend = backend_cpu(),
                             .threads = 1,
                             .ctx = &context};
    assert_int_equal(ball_table_make(&wish, &one), BALL_MADE);
    wish.threads = 2;
    assert_int_equal(ball_table_make(&wish, &two), BALL_MADE);
    assert_int_equal(one.n_row, two.n_row);
    assert_int_equal(one.n_record, two.n_record);
    assert_memory_equal(one.row, two.row, sizeof *one.row * (size_t)one.n_row);
    assert_memory_equal(one.record, two.record, sizeof *one.record * (size_t)one.n_record);
    ball_table_free(&one);
    ball_table_free(&two);

    int reports = 0;
    wish.n_level = 4;
    wish.report = count_reports;
    wish.report_to = &reports;
    assert_int_equal(ball_table_make(&wish, &two), BALL_STOPPED);
    assert_int_equal(reports, 2);
    assert_null(two.record);
}

/* Few trials serve if the means are known: those of the records are then the same, to rounding. */
static void known_means_are_those_of_the_records(void **state)
{
    (void)state;
    struct ball_table large;
    struct ball_table small;
    struct lr_context context = {.stop = 0};
    struct ball_wish wish = {
        .a = A, .n_level = 2, .trials = 4096, .kept = 512, .seed = 4, .backend = backend_cpu(), .ctx = &context};
    assert_int_equal(ball_table_make(&wish, &large), BALL_MADE);
    wish.trials = 512;
    wish.seed = 5;
    wish.known = large.means;
    assert_int_equal(ball_table_make(&wish, &small), BALL_MADE);
    for (int i = 0; i < small.n_row; i++) {
        const struct ball_row *row = &small.row[i];
        assert_true(fabs((double)row->wing - large.means[i].wing) < 1e-6);
        for (int wing = 0; wing < 2; wing++) {
            const struct ball_record_means mean = ball_record_means(&small.record[row->first[wing]], row->n[wing]);
            assert_true(row->n[wing] > 0 && row->n[wing] <= wish.kept);
            assert_true(fabs(mean.path * (double)row->path[wing] / large.means[i].path[wing] - 1) < 1e-5);
            assert_true(fabs(mean.scatterings * (double)row->scattered[wing] / large.means[i].scatterings[wing] - 1) <
                        1e-5);
        }
    }
    ball_table_free(&large);
    ball_table_free(&small);
}

/* ---- parts of the trial ------------------------------------------------------------------------------------------ */

static void weights_of_a_trial_sum_to_one(void **state)
{
    (void)state;
    static struct ball_trials set;
    ball_gas_make(A, &set.gas);
    set.key = rng_key_from_seed(11);
    set.radius = ball_radius(0);
    double chance = 0;
    double in_wing = 0;
    const int n = 20000;
    for (int i = 0; i < n; i++) {
        struct ball_trial trial;
        struct ball_exit out = ball_trial_common(&set, (uint32_t)i, &trial);
        assert_true(fabs((double)(trial.weight + trial.split) - 1) < 1e-5);
        in_wing += fabs((double)out.x) > (double)set.gas.x_wing ? (double)trial.weight : 0;
        out = ball_trial_rare(&set, &trial);
        in_wing += fabs((double)out.x) > (double)set.gas.x_wing ? (double)trial.split : 0;
        chance += (double)trial.split;
    }
    /* what is split off leads to the wing often enough, and little else does */
    assert_true(in_wing < chance && in_wing > 0.2 * chance);
}

static void chances_of_rare_atoms(void **state)
{
    (void)state;
    static struct ball_trials set;
    ball_gas_make(0.05, &set.gas);
    set.key = rng_key_from_seed(12);
    for (int j = 0; j < 4; j++) {
        const real x = R(0.7) * (real)j;
        struct ball_trial trial = {.number = (uint32_t)j};
        const int n = 200000;
        double far = 0;
        for (int i = 0; i < n; i++)
            far += fabs((double)(x - ball_atom(&set, &trial, x))) > (double)BALL_FAR;
        const double chance = (double)ball_far_chance(&set.gas, x, voigt(R(0.05), x));
        assert_true(fabs(far / n - chance) < 4.5 * sqrt(chance / n));
    }
    for (double z = -3; z < 8; z += 0.37)
        assert_true(fabs((double)ball_gauss_tail((real)z) / (0.5 * erfc(z)) - 1) < 1e-5);
}

static void rare_velocities_have_the_right_law(void **state)
{
    (void)state;
    static struct ball_trials set;
    ball_gas_make(A, &set.gas);
    set.key = rng_key_from_seed(13);
    struct ball_trial trial = {0};
    const struct ball_fast fast = {R(0.4), R(0.8), ball_gauss_tail((set.gas.x_wing - R(0.4)) / R(0.8)),
                                   ball_gauss_tail((set.gas.x_wing + R(0.4)) / R(0.8))};
    const int n = 100000;
    double up = 0;
    double beyond = 0;
    const double least = ((double)set.gas.x_wing - 0.4) / 0.8;
    for (int i = 0; i < n; i++) {
        const double v = (double)ball_fast_atom(&set, &trial, fast);
        assert_true(fabs(0.4 + 0.8 * v) > (double)set.gas.x_wing * (1 - 1e-6));
        up += v > 0;
        beyond += v > least + 0.2;
    }
    const double expected_up = erfc(least) / (erfc(least) + erfc(((double)set.gas.x_wing + 0.4) / 0.8));
    const double expected_beyond = erfc(least + 0.2) / erfc(least);
    assert_true(fabs(up / n - expected_up) < 4.5 * sqrt(expected_up * (1 - expected_up) / n));
    assert_true(fabs(beyond / up - expected_beyond) < 4.5 * sqrt(expected_beyond * (1 - expected_beyond) / up));
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void records_are_read_as_written(void **state)
{
    (void)state;
    const struct rng_key key = rng_key_from_seed(14);
    const struct ball_row row = {.path = {1, 1}, .scattered = {1, 1}};
    for (uint32_t i = 0; i < 2000; i++) {
        const struct random4 random = rng_draw(key, i, 0, 0);
        const struct vec3 place = direction_isotropic(random.r0, random.r1);
        const struct vec3 local = direction_about_z(rng_uniform(random.r2), rng_uniform(random.r3));
        const struct vec3 n = direction_turned_to(place, local);
        const double x_row = i % 3;
        const struct ball_exit leaver = {.place = place,
                                         .n = n,
                                         .x = R(4) * rng_uniform(random.r3) - R(2),
                                         .path = (real)(1 + i),
                                         .last = R(1e-3) * (real)i,
                                         .scatterings = (real)(1 + 17 * i)};
        const struct ball_record record = ball_record_make(&leaver, (real)x_row, R(1), random);
        const struct ball_exit out = ball_read(&record, &row, 0, vec3_make(R(0), R(0), R(1)), (real)x_row, random);
        const double tiny = 2e-3; /* resolved to 2^-15, squares of which matter near the poles */
        assert_true(fabs((double)(out.place.z - place.z)) < 1e-4);
        assert_true(fabs((double)(vec3_dot(out.n, out.place) - vec3_dot(n, place))) < tiny);
        assert_true(fabs((double)(out.n.z - n.z)) < tiny);
        assert_true(fabs(fabs((double)out.x) - fabs((double)leaver.x)) < 1e-5);
        assert_true(x_row == 0 || (double)(out.x * leaver.x) > 0 || fabs((double)leaver.x) < 1e-5);
        assert_true(fabs((double)(out.path / leaver.path) - 1) < 1e-3);
        assert_true(fabs((double)(out.scatterings / leaver.scatterings) - 1) < 1e-3);
        assert_true(fabs((double)(out.last - leaver.last)) < 1e-3 * (double)leaver.last + 1e-7);
    }
}

/* Between two rows each serves in proportion to the distance in ball_coordinate(), which grows with the frequency. */
static void rows_are_where_their_positions_say(void **state)
{
    (void)state;
    enum { N = 60 };
    static const double dampings[] = {1e-6, 4.7e-4, 0.015, 0.149};
    struct ball_row row[N] = {{0}};
    const struct ball_level level = {0, N, (float)ball_row_x(N - 1)};
    const struct ball_view view = {.row = row};
    for (int i = 0; i < N; i++)
        assert_true(fabs((double)ball_row_position(ball_row_x(i)) - i) < 1e-4);
    for (int k = 0; k < 4; k++) {
        const real a = (real)dampings[k];
        for (int i = 0; i < N; i++) {
            row[i].at = (float)ball_coordinate(a, ball_row_x(i));
            row[i].wing = (float)i / N;
            assert_true(i == 0 || row[i].at > row[i - 1].at);
        }
        for (int i = 0; i < N - 1; i++) {
            const real x = ball_row_x(i) + R(0.3) * (ball_row_x(i + 1) - ball_row_x(i));
            const double part =
                ((double)ball_coordinate(a, x) - (double)row[i].at) / ((double)row[i + 1].at - (double)row[i].at);
            assert_true(part > 0 && part < 1);
            assert_int_equal(ball_choose(&view, &level, a, x, (real)(0.98 * part)).row, i + 1);
            assert_int_equal(ball_choose(&view, &level, a, x, (real)(0.02 + 0.98 * part)).row, i);
            assert_true(fabs((double)ball_choose(&view, &level, a, x, R(0.5)).wing * N - i - part) < 2e-3);
        }
    }
}

static void thinning_keeps_weights(void **state)
{
    (void)state;
    enum { N = 6000, KEPT = 1000 };
    static struct ball_sample sample[N];
    static struct ball_record kept[KEPT];
    double mean = 0;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const struct random4 random = rng_draw(rng_key_from_seed(15), (uint32_t)i, 0, 0);
        sample[i].x = (float)rng_uniform(random.r0);
        sample[i].record.x = sample[i].x;
        sample[i].record.path = (uint16_t)random.r1;
        sample[i].weight = (float)rng_uniform(random.r2);
        mean += (double)(sample[i].x * sample[i].weight);
        sum += (double)sample[i].weight;
    }
    assert_int_equal(ball_thin(sample, N, KEPT, rng_key_from_seed(16), 0, kept), KEPT);
    double kept_mean = 0;
    for (int i = 0; i < KEPT; i++)
        kept_mean += (double)kept[i].x / KEPT;
    assert_true(fabs(kept_mean - mean / sum) < 1e-3); /* independent draws: 9e-3 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_are_left_as_in_the_exact_process),
        cmocka_unit_test(tables_do_not_depend_on_threads),
        cmocka_unit_test(known_means_are_those_of_the_records),
        cmocka_unit_test(weights_of_a_trial_sum_to_one),
        cmocka_unit_test(chances_of_rare_atoms),
        cmocka_unit_test(rare_velocities_have_the_right_law),
        cmocka_unit_test(records_are_read_as_written),
        cmocka_unit_test(rows_are_where_their_positions_say),
        cmocka_unit_test(thinning_keeps_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
