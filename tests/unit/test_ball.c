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
#include "draws.h"
#include "kernel/ball_trial.h"
#include "solve/balls/ball_make.h"
#include "solve/balls/ball_thin.h"

static const double A = 0.01, WING = 2.2;

static struct ball_gas gas_of(const struct ball_wish *wish)
{
    struct ball_gas gas;
    ball_gas_make(wish->a, (double)(float)wish->x_wing, wish->dipole, wish->dipole_core, wish->dipole_wing, &gas);
    return gas;
}

/* ---- the exact process ------------------------------------------------------------------------------------------- */

/* What is compared: left the core inside the ball, path, scatterings, |x|, cosine of the place to the initial
 * direction, cosine of the final direction to it and to the radius, last flight, distance from the centre; and what
 * cameras see. */
enum { N_SEEN = 3, N_MOMENT = 9 + N_SEEN };
struct moments {
    double n, sum[N_MOMENT], square[N_MOMENT];
};

/* Light that a scattering sends beyond x_seen: along the initial direction, the same times the place on that axis, and
 * at a right angle to it. */
struct seen {
    double of[N_SEEN];
};

static void see(struct seen *seen, const struct ball_atom *atom, struct vec3 at, double x_wing, double amount)
{
    const double x_seen = 1.08 * x_wing;
    const int ahead = fabs((double)(atom->detuning + atom->speed * atom->along.z)) > x_seen;
    const int aside = fabs((double)(atom->detuning + atom->speed * atom->along.x)) > x_seen;
    seen->of[0] += ahead * amount;
    seen->of[1] += ahead * amount * (double)at.z;
    seen->of[2] += aside * amount;
}

static void note(struct moments *m, const struct ball_exit *out, const struct seen *seen, double weight)
{
    const double value[N_MOMENT] = {out->inside,
                                    (double)out->path,
                                    (double)out->scatterings,
                                    fabs((double)out->x),
                                    (double)out->place.z,
                                    (double)out->n.z,
                                    (double)vec3_dot(out->place, out->n),
                                    out->inside ? 0 : (double)out->last,
                                    (double)out->reach,
                                    seen->of[0],
                                    seen->of[1],
                                    seen->of[2]};
    m->n += weight;
    for (int i = 0; i < N_MOMENT; i++) {
        m->sum[i] += weight * value[i];
        m->square[i] += weight * value[i] * value[i];
    }
}

/* `far`: left by an atom that saw the photon far from resonance; `seen`: the light of all scatterings. */
static struct ball_exit follow(double radius, double x, const struct ball_gas *gas, uint32_t number, int *far,
                               struct seen *seen)
{
    const struct rng_key key = rng_key_from_seed(1931);
    uint32_t draw = 0;
    struct ball_photon photon = {.n = {0, 0, 1}, .x = (real)x};
    for (;;) {
        struct velocity_proposal atom;
        do
            atom = propose_velocity(gas->a, photon.x, rng_draw(key, draw++, number, 0),
                                    (double)gas->a <= LR_NARROW_DAMPING);
        while (atom.uniform > atom.chance);
        *far = fabs((double)(photon.x - atom.u)) > (double)BALL_FAR;
        const struct random4 random = rng_draw(key, draw++, number, 0);
        const struct vec3 n = ball_direction(gas, &photon, random);
        ball_scatter(&photon, atom.u, thermal_pair(random.r2, random.r3), n);
        const struct vec3 at = vec3_make(r_div(photon.at.x, (real)radius), r_div(photon.at.y, (real)radius),
                                         r_div(photon.at.z, (real)radius));
        see(seen, &photon.atom, at, (double)gas->x_wing, gas->dipole ? 0 : 1);
        if (fabs((double)photon.x) > (double)gas->x_wing)
            return ball_exit_of(&photon, (real)radius, 1);
        const double along = (double)vec3_dot(photon.at, n);
        const double surface =
            -along + sqrt(fmax(along * along + radius * radius - (double)vec3_dot(photon.at, photon.at), 0));
        const double length =
            -log((double)rng_uniform(rng_draw(key, draw++, number, 0).r0)) / (double)voigt(gas->a, photon.x);
        const real flown = (real)fmin(length, surface);
        photon.at = vec3_make(photon.at.x + flown * n.x, photon.at.y + flown * n.y, photon.at.z + flown * n.z);
        photon.path += flown;
        photon.last += flown;
        *far = 0;
        if (length >= surface)
            return ball_exit_of(&photon, (real)radius, 0);
    }
}

/* ---- tables against it ------------------------------------------------------------------------------------------- */

/* Compares a row with `n` photons that were followed; errors add in squares. */
static void compare_row(const struct ball_table *table, const struct ball_wish *wish, int level, int row, int n)
{
    const struct ball_gas gas = gas_of(wish);
    const double radius = (double)ball_radius(&table->family, level), x = (double)ball_row_x(&table->family, row);
    struct moments exact = {0};
    for (int i = 0; i < n; i++) {
        int far;
        struct seen seen = {{0}};
        const struct ball_exit out = follow(radius, x, &gas, (uint32_t)i, &far, &seen);
        note(&exact, &out, &seen, 1);
    }
    const struct ball_row *from = &table->row[level * BALL_ROWS + row];
    struct moments kept = {0};
    double before = 0;
    for (int part = 0; part < BALL_PARTS; part++) {
        const double chance = (double)from->up_to[part] - before;
        before = (double)from->up_to[part];
        for (uint32_t i = 0; i < from->n[part]; i++) {
            struct seen seen = {{0}};
            const struct ball_exit out = ball_read(
                &table->family, &table->record[from->first[part] + i], from, part, vec3_make(R(0), R(0), R(1)), (real)x,
                rng_draw(rng_key_from_seed(5), i, 0, 0), rng_draw(rng_key_from_seed(5), i, 1, 0));
            const struct vec3 at = vec3_make(out.reach * out.place.x, out.reach * out.place.y, out.reach * out.place.z);
            if (out.inside && table->family.isotropic) {
                const double x_wing = (double)table->family.x_wing;
                assert_true(fabs((double)out.x) > x_wing * (1 - 1e-6));
                see(&seen, &out.atom, at, x_wing, 1 / (double)ball_chance_of_wing(&out.atom, (real)x_wing));
            }
            note(&kept, &out, &seen, chance / from->n[part]);
        }
    }
    assert_true(fabs(kept.n - 1) < 1e-5);
    for (int i = 0; i < N_MOMENT; i++) {
        const double mean = exact.sum[i] / n;
        const double variance = exact.square[i] / n - mean * mean;
        const double kept_variance = kept.square[i] - kept.sum[i] * kept.sum[i]; /* 1 / P spreads more than a count */
        const double error =
            sqrt(variance / n + fmax(variance, kept_variance) * 2 / (double)wish->trials) + 1e-4 * fabs(mean);
        if (!(fabs(kept.sum[i] - mean) <= 4.5 * error))
            fail_msg("level %d row %d moment %d: %.6g, not %.6g +- %.2g", level, row, i, kept.sum[i], mean, error);
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
    struct ball_table larger;
    struct lr_context context = {.stop = 0};
    struct ball_wish wish = {.a = A,
                             .x_start = 2,
                             .x_wing = WING,
                             .least = 8,
                             .n_level = 5,
                             .trials = DRAWS(8192),
                             .kept = 2048,
                             .seed = 7,
                             .backend = backend_cpu(),
                             .ctx = &context};
    assert_int_equal(ball_table_make(&wish, &table), BALL_MADE);
    assert_int_equal(table.family.n_level, 5);
    compare_row(&table, &wish, 0, 0, DRAWS(40000));
    compare_row(&table, &wish, 0, 7, DRAWS(40000));
    compare_row(&table, &wish, 2, BALL_ROWS - 1, DRAWS(20000));
    compare_row(&table, &wish, 4, 3, DRAWS(10000)); /* made with the others */

    struct ball_wish second = wish;
    second.x_start = WING;
    second.x_wing = 3;
    second.least = 128;
    second.n_level = 1;
    second.inner = &table;
    assert_int_equal(ball_table_make(&second, &larger), BALL_MADE);
    compare_row(&larger, &second, 0, 0, DRAWS(5000));
    compare_row(&larger, &second, 0, BALL_ROWS - 2, DRAWS(5000));
    ball_table_free(&larger);
    ball_table_free(&table);

    wish.n_level = 2;
    wish.dipole = 1;
    wish.dipole_core = 0.5;
    wish.dipole_wing = 1;
    assert_int_equal(ball_table_make(&wish, &table), BALL_MADE);
    compare_row(&table, &wish, 1, 2, DRAWS(20000));
    ball_table_free(&table);
}

static void tables_do_not_depend_on_threads(void **state)
{
    (void)state;
    struct ball_table one;
    struct ball_table two;
    struct lr_context context = {.stop = 0};
    struct ball_wish wish = {.a = A,
                             .x_start = 2,
                             .x_wing = WING,
                             .least = 8,
                             .n_level = 2,
                             .trials = DRAWS(2048),
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

/* ---- parts of the trial ------------------------------------------------------------------------------------------ */

static void what_is_split_off_is_the_chance_of_exits_by_far_atoms(void **state)
{
    (void)state;
    static struct ball_trials set;
    const struct ball_wish wish = {.a = A, .x_wing = WING};
    set.gas = gas_of(&wish);
    set.key = rng_key_from_seed(11);
    set.radius = R(16);
    double split = 0;
    double square = 0;
    double met = 0;
    const int n = DRAWS(40000);
    for (int i = 0; i < n; i++) {
        struct ball_trial trial;
        int far;
        ball_trial_common(&set, (uint32_t)i, &trial);
        assert_true(fabs((double)(trial.weight + ball_split_weight(&trial)) - 1) < 1e-5);
        const double part = (double)trial.split[BALL_FAR_PART - BALL_FAST_PART].weight;
        split += part / n;
        square += part * part / n;
        struct seen seen = {{0}};
        follow(16, 0, &set.gas, (uint32_t)i, &far, &seen);
        met += far / (double)n;
    }
    assert_true(fabs(split - met) < 4.5 * sqrt((met + square - split * split) / n));
    assert_true(square - split * split < 0.2 * met); /* counting would have a variance of `met` */
}

/* The chances of rare exits, isotropically or not, and the far atoms that are drawn, against scatterings off any atom.
 */
static void chances_of_rare_exits(void **state)
{
    (void)state;
    static struct ball_trials set;
    set.key = rng_key_from_seed(12);
    for (int j = 0; j < 8; j++) {
        ball_gas_make(0.05, WING, j >= 4, 0.5, 1, &set.gas);
        const struct ball_photon photon = {.n = {0, 0, 1}, .x = R(0.7) * (real)(j % 4)};
        struct ball_trial trial = {.number = (uint32_t)j};
        const int n = DRAWS(400000);
        double far = 0;
        double left[BALL_PARTS] = {0};
        double above = 0;
        double drawn_above = 0;
        for (int i = 0; i < n; i++) {
            const struct ball_photon after =
                ball_scatter_off(&set, &trial, &photon, ball_any_atom(&set, &trial, photon.x));
            far += after.far;
            above += after.far && after.atom.detuning > R(0);
            if (ball_leaves_rarely(&set, &after))
                left[ball_part_of(&set.gas, 1, after.far, after.x, &after.atom)] += 1.0 / n;
        }
        for (int part = BALL_FAST_PART; part < BALL_PARTS; part++) {
            const double chance = (double)ball_rare_chance(&set.gas, part, photon.x, voigt(R(0.05), photon.x));
            assert_true(fabs(left[part] - chance) <= 4.5 * sqrt(chance / n));
        }
        for (int i = 0; i < n; i++) {
            const double y = (double)(photon.x - ball_far_atom(&set, &trial, photon.x));
            assert_true(fabs(y) > (double)BALL_FAR * (1 - 1e-6));
            drawn_above += (y > 0) / (double)n;
        }
        assert_true(fabs(drawn_above - above / far) < 4.5 * sqrt(0.25 / far + 0.25 / n));
    }
}

/* Fast atoms are drawn from the same distribution as those found among scatterings off any atom: means of detuning,
 * size of the detuning, speed, frequency, and cosines of both directions to the incoming one. */
static void fast_atoms_are_those_of_the_exact_process(void **state)
{
    (void)state;
    enum { N = 6 };
    static struct ball_trials set;
    ball_gas_make(0.02, 1.5, 0, 0, 0, &set.gas); /* an early wing: more than one in a thousand is fast */
    set.key = rng_key_from_seed(13);
    for (int j = 0; j < 3; j++) {
        const struct ball_photon photon = {.n = {0, 0, 1}, .x = R(0.6) * (real)j};
        struct ball_trial trial = {.number = (uint32_t)j};
        struct moments found = {0};
        struct moments drawn = {0};
        for (int i = 0; i < DRAWS(1000000); i++) {
            const int natural = i % 20 != 0;
            const struct ball_photon after =
                natural ? ball_scatter_off(&set, &trial, &photon, ball_any_atom(&set, &trial, photon.x))
                        : ball_fast_exit(&set, &trial, &photon);
            if (!ball_leaves_rarely(&set, &after) || after.far) {
                assert_true(natural);
                continue;
            }
            const double value[N] = {(double)after.atom.detuning, fabs((double)after.atom.detuning),
                                     (double)after.atom.speed,    (double)after.x,
                                     (double)after.atom.along.z,  (double)after.n.z};
            struct moments *to = natural ? &found : &drawn;
            to->n++;
            for (int k = 0; k < N; k++) {
                to->sum[k] += value[k];
                to->square[k] += value[k] * value[k];
            }
        }
        assert_true(found.n > DRAWS(500) && drawn.n == DRAWS(50000));
        for (int k = 0; k < N; k++) {
            const double mean = found.sum[k] / found.n, other = drawn.sum[k] / drawn.n;
            const double variance = found.square[k] / found.n - mean * mean;
            if (!(fabs(mean - other) < 4.5 * sqrt(variance * (1 / found.n + 1 / drawn.n))))
                fail_msg("x = %g, moment %d: %.5g, not %.5g", (double)photon.x, k, other, mean);
        }
    }
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void records_are_read_as_written(void **state)
{
    (void)state;
    const struct rng_key key = rng_key_from_seed(14);
    const struct ball_row row = {.path = {1}, .scattered = {1}};
    const struct ball_gas gas = {.x_wing = R(2), .dipole = 1};
    const struct ball_family family = {.x_wing = 2};
    for (uint32_t i = 0; i < 2000; i++) {
        const struct random4 random = rng_draw(key, i, 0, 0);
        const struct vec3 place = direction_isotropic(random.r0, random.r1);
        const struct vec3 local = direction_about_z(rng_uniform(random.r2), rng_uniform(random.r3));
        const struct vec3 n = direction_turned_to(place, local);
        const double x_row = i % 3;
        const int inside = i % 2;
        const struct ball_exit leaver = {.place = place,
                                         .n = n,
                                         .x = R(4) * rng_uniform(random.r3) - R(2),
                                         .inside = inside,
                                         .reach = inside ? R(5e-4) * (real)i : R(1),
                                         .path = R(0.1) * (real)i,
                                         .last = inside ? R(0) : R(1e-3) * (real)i,
                                         .scatterings = (real)(1 + 17 * i)};
        const struct ball_record record = ball_record_make(&gas, &leaver, (real)x_row, random);
        const struct ball_exit out =
            ball_read(&family, &record, &row, 0, vec3_make(R(0), R(0), R(1)), (real)x_row, random, random);
        assert_int_equal(out.inside, inside);
        const double tiny = 2e-3; /* resolved to 2^-15, squares of which matter near the poles */
        assert_true(fabs((double)(out.place.z - place.z)) < 1e-4);
        assert_true(fabs((double)(vec3_dot(out.n, out.place) - vec3_dot(n, place))) < tiny);
        assert_true(fabs((double)(out.n.z - n.z)) < tiny);
        assert_true(fabs(fabs((double)out.x) - fabs((double)leaver.x)) < 1e-5);
        assert_true(x_row == 0 || (double)(out.x * leaver.x) > 0 || fabs((double)leaver.x) < 1e-5);
        assert_true(fabs((double)(out.path - leaver.path)) < 1e-3 * (double)leaver.path + 1e-7);
        assert_true(fabs((double)(out.reach - leaver.reach)) < 1e-3 * (double)leaver.reach + 1e-7);
        assert_true(fabs((double)(out.scatterings / leaver.scatterings) - 1) < 1e-3);
        assert_true(fabs((double)(out.last - leaver.last)) < 1e-3 * (double)leaver.last + 1e-7);
    }
}

/* Between two rows each serves in proportion to the distance in ball_coordinate(), which grows with the frequency. */
static void rows_are_where_their_positions_say(void **state)
{
    (void)state;
    static const double dampings[] = {1e-6, 4.7e-4, 0.015, 0.149};
    struct ball_row row[2 * BALL_ROWS] = {{0}};
    const struct ball_view view = {.row = row};
    for (int k = 0; k < 4; k++) {
        const struct ball_family family = {
            .a = (float)dampings[k], .x_start = 2.5f, .x_wing = 2.6f, .least = 8, .n_level = 2};
        const real a = (real)family.a;
        for (int i = 0; i < BALL_ROWS; i++) {
            assert_true(fabs((double)ball_row_position(&family, ball_row_x(&family, i)) - i) < 1e-4);
            row[BALL_ROWS + i].at = (float)ball_coordinate(a, ball_row_x(&family, i));
            assert_true(i == 0 || row[BALL_ROWS + i].at > row[BALL_ROWS + i - 1].at);
        }
        for (int i = 0; i < BALL_ROWS - 1; i++) {
            const struct ball_row *at = &row[BALL_ROWS + i];
            const real low = ball_row_x(&family, i);
            const real x = low + R(0.3) * (ball_row_x(&family, i + 1) - low);
            const double part =
                ((double)ball_coordinate(a, x) - (double)at[0].at) / ((double)at[1].at - (double)at[0].at);
            assert_true(part > 0 && part < 1);
            assert_int_equal(ball_choose(&view, &family, 1, x, (real)(0.98 * part)), BALL_ROWS + i + 1);
            assert_int_equal(ball_choose(&view, &family, 1, x, (real)(0.02 + 0.98 * part)), BALL_ROWS + i);
        }
    }
}

static void parts_are_picked_with_their_chances(void **state)
{
    (void)state;
    static const struct ball_record record[5];
    struct ball_row row = {.up_to = {0.25f, 0.25f, 0.5f, 0.5f, 0.5f, 0.5f, 0.75f, 1.0f}};
    const struct ball_view view = {.row = &row, .record = record};
    row.n[0] = 2;
    row.n[2] = row.n[6] = row.n[7] = 1;
    row.first[2] = 2;
    row.first[6] = 3;
    row.first[7] = 4;
    static const int expected[8] = {0, 1, 2, 2, 3, 3, 4, 4};
    for (int i = 0; i < 8; i++)
        assert_ptr_equal(ball_pick(&view, &row, (i + 0.5) / 8).record, &record[expected[i]]);
    assert_int_equal(ball_pick(&view, &row, 1 - 1e-12).part, BALL_FAR_PART);
    assert_true(ball_common(&row) == 0.5);
}

static void thinning_keeps_weights(void **state)
{
    (void)state;
    enum { N = 6000, KEPT = 1000 };
    static struct ball_sample sample[N];
    static struct ball_record kept[KEPT];
    static struct ball_stretch stretch[KEPT];
    const struct ball_family family = {.a = 0.01f, .x_wing = 2, .isotropic = 1};
    double mean = 0;
    double direction = 0;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const struct random4 random = rng_draw(rng_key_from_seed(15), (uint32_t)i, 0, 0);
        sample[i].farthest = (float)rng_uniform(random.r0);
        sample[i].record.photon = ball_code_frequency((real)sample[i].farthest, 0);
        sample[i].record.path = (uint16_t)random.r1;
        sample[i].record.mu_out = (uint16_t)random.r3;
        sample[i].weight = (float)rng_uniform(random.r2);
        mean += (double)(sample[i].farthest * sample[i].weight);
        direction += (double)sample[i].record.mu_out * (double)sample[i].weight;
        sum += (double)sample[i].weight;
    }
    assert_int_equal(ball_thin(&family, sample, N, KEPT, rng_key_from_seed(16), 0, stretch, kept), KEPT);
    double kept_mean = 0;
    double kept_direction = 0;
    double squares = 0;
    for (int i = 0; i < KEPT; i++) {
        const double mu = kept[i].mu_out / 65536.0;
        kept_mean += (double)ball_decode_frequency(kept[i].photon) / KEPT;
        kept_direction += mu / KEPT;
        squares += (mu - 0.5) * (mu - 0.5) / KEPT;
    }
    assert_true(fabs(kept_mean - mean / sum) < 1e-3);                     /* independent draws: 9e-3 */
    assert_true(fabs(kept_direction - direction / sum / 65536) < 2.5e-3); /* the same */
    assert_true(fabs(squares - 1.0 / 12) < 4 * 0.075 / sqrt(KEPT));       /* and no narrower than before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_are_left_as_in_the_exact_process),
        cmocka_unit_test(tables_do_not_depend_on_threads),
        cmocka_unit_test(what_is_split_off_is_the_chance_of_exits_by_far_atoms),
        cmocka_unit_test(chances_of_rare_exits),
        cmocka_unit_test(fast_atoms_are_those_of_the_exact_process),
        cmocka_unit_test(records_are_read_as_written),
        cmocka_unit_test(rows_are_where_their_positions_say),
        cmocka_unit_test(parts_are_picked_with_their_chances),
        cmocka_unit_test(thinning_keeps_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
