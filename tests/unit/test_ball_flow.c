/* Jumps in gas that flows (packet_jump.h): what is left out, against direct simulation in gas whose velocity changes
 * across the ball as in a shell, v(d) = gamma (d_x, d_y, 0). A photon that flies along n loses gamma (1 - n_z^2) per
 * length in the frame of the gas. First-order effects are odd in frequency and in gamma: with the same random numbers,
 * the difference of a flow and its opposite has little noise. */
/* variants: double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ball_flight.h"
#include "base/context.h"
#include "draws.h"
#include "kernel/ball_trial.h"
#include "solve/balls/ball_make.h"

/* Photons scattered into the wing above minus those below; mean frequency of photons that leave the ball. */
enum { N_ODD = 2 };

/* What is left out, in units of the change of velocity over the radius: photons that come to the surface are redder,
 * since those drift away from line centre on their way. */
static const double ALLOWED[N_ODD] = {0.3, 1.5};

static void odd_of(const struct ball_exit *out, double value[N_ODD])
{
    value[0] = out->inside ? (out->x > 0 ? 1 : -1) : 0;
    value[1] = out->inside ? 0 : (double)out->x;
}

/* Flies to the next scattering, or out of the ball, in steps over which the frequency hardly changes; returns whether
 * it left. */
static int fly(struct ball_photon *photon, double a, double radius, double gamma, double depth)
{
    const struct vec3 n = photon->n;
    const double surface = to_surface(photon, radius);
    const double fall = gamma * (1 - (double)(n.z * n.z));
    const double step = fmin(surface, 0.01 / fmax(fabs(fall), 1e-9));
    double flown = 0;
    int leaves = 0;
    while (depth > 0 && !leaves) {
        const double next = fmin(step, surface - flown);
        const double opacity = (double)voigt((real)a, photon->x - (real)(0.5 * fall * next));
        const double length = fmin(depth / opacity, next);
        depth = length < next ? 0 : depth - opacity * next;
        flown += length;
        photon->x -= (real)(fall * length);
        leaves = flown >= surface * (1 - 1e-12);
    }
    photon->at =
        vec3_make(photon->at.x + (real)flown * n.x, photon->at.y + (real)flown * n.y, photon->at.z + (real)flown * n.z);
    return leaves;
}

static struct ball_exit follow(double radius, double x, const struct ball_gas *gas, struct vec3 n, double gamma,
                               uint32_t number)
{
    const struct rng_key key = rng_key_from_seed(1933);
    struct ball_photon photon = {.n = n, .x = (real)x};
    for (uint32_t event = 0;; event++) {
        const real u = (real)draw_atom(gas, photon.x, key, number, event);
        const struct random4 random = rng_draw(key, 1u << 30, number, event);
        ball_scatter(&photon, u, thermal_pair(random.r2, random.r3), ball_direction(gas, &photon, random));
        if (fabs((double)photon.x) > (double)gas->x_wing)
            return ball_exit_of(&photon, (real)radius, 1);
        const double uniform = (double)rng_uniform(rng_draw(key, 1u << 31, number, event).r0);
        if (fly(&photon, (double)gas->a, radius, gamma, -log(uniform)))
            return ball_exit_of(&photon, (real)radius, 0);
    }
}

/* The odd values of a row, from its records; the last flight is that of packet_jump(). */
static void values_of_records(const struct ball_table *table, int level, int row, double gamma, double value[N_ODD])
{
    enum { REPEATS = 16 };
    const struct ball_row *from = &table->row[level * BALL_ROWS + row];
    const double radius = (double)ball_radius(&table->family, level), x = (double)ball_row_x(&table->family, row);
    double before = 0;
    for (int i = 0; i < N_ODD; i++)
        value[i] = 0;
    for (int part = 0; part < BALL_PARTS; part++) {
        const double chance = (double)from->up_to[part] - before;
        before = (double)from->up_to[part];
        for (uint32_t i = 0; i < 2 * REPEATS * from->n[part]; i++) {
            const struct random4 random = rng_draw(rng_key_from_seed(6), i / 2, 0, (uint32_t)part);
            const struct random4 after = rng_draw(rng_key_from_seed(6), i / 2, 1, (uint32_t)part);
            const struct random4 start = rng_draw(rng_key_from_seed(6), i / 2, 2, (uint32_t)part);
            struct ball_exit out =
                ball_read(&table->family, &table->record[from->first[part] + i / (2 * REPEATS)], from, part,
                          direction_isotropic(start.r0, start.r1), (real)(i % 2 ? -x : x), random, after);
            double odd[N_ODD];
            out.x -= (real)(gamma * radius) * out.last * (R(1) - out.n.z * out.n.z);
            odd_of(&out, odd);
            for (int k = 0; k < N_ODD; k++)
                value[k] += chance * odd[k] / (2 * REPEATS * from->n[part]);
        }
    }
}

/* Compares with the flow that changes the velocity by `change` over the radius; differences are in units of that, and
 * for the wings of the part of photons that reach them. */
static void compare_row(const struct ball_table *table, int level, int row, double change, int n)
{
    struct ball_gas gas;
    ball_gas_make((double)table->family.a, (double)table->family.x_wing, 0, 0, 0, &gas);
    const double radius = (double)ball_radius(&table->family, level), x = (double)ball_row_x(&table->family, row);
    double sum[N_ODD] = {0}, square[N_ODD] = {0}, inside = 0, value[N_ODD];
    for (int i = 0; i < n; i++) {
        const struct random4 start = rng_draw(rng_key_from_seed(8), (uint32_t)i, 0, 0);
        const struct vec3 way = direction_isotropic(start.r0, start.r1);
        double there[N_ODD], back[N_ODD];
        const struct ball_exit out = follow(radius, x, &gas, way, change / radius, (uint32_t)i);
        const struct ball_exit mirrored = follow(radius, x, &gas, way, -change / radius, (uint32_t)i);
        odd_of(&out, there);
        odd_of(&mirrored, back);
        inside += out.inside;
        for (int k = 0; k < N_ODD; k++) {
            const double d = 0.5 * (there[k] - back[k]);
            sum[k] += d;
            square[k] += d * d;
        }
    }
    values_of_records(table, level, row, change / radius, value);
    for (int k = 0; k < N_ODD; k++) {
        const double mean = sum[k] / n, error = sqrt((square[k] / n - mean * mean) / n);
        const double scale = change * (k == 0 ? inside / n : 1);
        printf("level %d row %d: %.5f, exact %.5f(%.5f), difference %+.3f(%.3f) of scale\n", level, row, value[k], mean,
               error, (value[k] - mean) / scale, error / scale);
        if (!(fabs(value[k] - mean) <= 4.5 * error + ALLOWED[k] * scale))
            fail_msg("level %d row %d value %d: %.5g, not %.5g +- %.2g", level, row, k, value[k], mean, error);
    }
}

static void flows_change_little(void **state)
{
    (void)state;
    struct ball_table table;
    struct lr_context context = {.stop = 0};
    const struct ball_wish wish = {.a = 0.01,
                                   .x_start = 1.76,
                                   .x_wing = 2.2,
                                   .least = 8,
                                   .n_level = 3,
                                   .trials = DRAWS(4096),
                                   .kept = 1024,
                                   .seed = 7,
                                   .backend = backend_cpu(),
                                   .ctx = &context};
    assert_int_equal(ball_table_make(&wish, &table), BALL_MADE);
    compare_row(&table, 2, 2, 0.1, DRAWS(10000));
    compare_row(&table, 2, BALL_ROWS - 1, 0.1, DRAWS(10000));
    ball_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_change_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
