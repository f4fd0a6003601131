/* How often photons scatter in deep gas is decided by the chances of exits into the wing, in proportion to the number
 * of scatterings before them. The noise that both have in a table is common to all packets that will ever jump with it.
 * But their ratio is known exactly.
 *
 * In endless gas without absorption, light whose intensity is the same at all frequencies stays so, since R_II is
 * symmetric. Scatterings in the core C, |x| < x_wing, then have frequencies in proportion to H(a, x), and of these
 *
 *     F_k = INT_C p_k(x) H(a, x) dx / INT_C H(a, x) dx
 *
 * are exits of the way k, of chance p_k at the frequency x. A photon comes back from the wing with the frequencies with
 * which others leave for it, in proportion to p H: again because R_II is symmetric. From there until it leaves the core
 * again it makes a cycle of jumps and of scatterings that are followed. With the chances P_k and the mean numbers N of
 * the rows that the jumps of many cycles use,
 *
 *     F_k = (g_k SUM_jumps P_k + SUM_followed p_k) / (h SUM_jumps N + SUM_followed 1)
 *
 * must hold, which gives the factors g_k and h of a level, but for one choice: how much of the difference in all exits
 * together is that of the chances, and how much that of the numbers. In small balls, where P = SUM P_k of the mean jump
 * is small, nearly all the noise is in the chances; in large ones, where P = 1, it is in the numbers. So the factor q
 * that the chances would need alone is shared: they get q^(1-P).
 *
 * Chances and numbers are added, not counted, and their ratio differs little from row to row: the noise of the factors
 * is much smaller than that of the rows. Compiled in double precision (CMakeLists.txt).
 *
 * If the share of dipole scattering changes from e_core to e_wing somewhere, R_II is not symmetric there. If that is at
 * x_wing, exits are more frequent by a factor of 1 + c (e_wing - e_core): with the angle-averaged R_II on a grid of
 * 0.025 Doppler widths, solved for the light that stays, c = 1.1, 1.4, 1.8 and 2.2e-3 for a = 4.7e-5, 4.7e-4, 4.7e-3
 * and 0.149. One number for all, LEAN, leaves an error of 0.04 % for Lyman alpha. If it is far out in the wing, as for
 * most balls of the first grade, the effect is below 0.01 %.
 *
 * Balls that a photon would have to cross BALL_MANY_JUMPS times in a cycle are left as they are: those of the second
 * grade that are small compared with 1/a. */
#include "solve/balls/ball_balance.h"

#include <math.h>

#include "solve/balls/ball_thin.h"

enum { N_CHUNK = 64, CHUNK = 2048 }; /* of cycles */
static const double LEAN = 1.6e-3;

/* Random numbers of cycles differ from those of trials, which have the row there. */
enum { STREAM_CYCLES = 1 << 20 };

/* ---- endless gas ---- */

/* If scattering is not isotropic, fast atoms are not told apart. */
enum ball_way ball_way_of(const struct ball_gas *gas, int part)
{
    if (part == BALL_FAR_PART)
        return BALL_WAY_FAR;
    if (part == BALL_FAST_PART && !gas->dipole)
        return BALL_WAY_FAST;
    return part < BALL_SURFACE_PARTS ? BALL_WAYS : BALL_WAY_COMMON;
}

/* Rate of all exits at x: the integral of ball_trial.h over all atoms, by the midpoint rule over s, y = a sinh(s). */
static double exits_to_wing(const struct ball_gas *gas, double x)
{
    const double a = (double)gas->a, end = asinh((x + 5) / a);
    const double dipole =
        gas->dipole ? (double)(phase_in_core(gas->a, (real)x) ? gas->dipole_core : gas->dipole_wing) : 0;
    const int n = 2 * (int)(20 * end) + 2;
    const double step = 2 * end / n;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double s = (i + 0.5) * step - end, y = a * sinh(s), u = x - y;
        if (fabs(u) < 5)
            sum += step * exp(-u * u) / cosh(s) * ball_wing_chance(y, u, (double)gas->x_wing, dipole);
    }
    return 0.31830988618379067154 * sum;
}

/* Chances of the ways at |x|. */
static void chances_at(const struct ball_balance *balance, const struct ball_gas *gas, real x, double *chance)
{
    const real opacity = voigt(gas->a, x);
    const double position = fmax(fabs((double)x) / balance->step - 0.5, 0);
    const int i = (int)fmin(position, BALL_BALANCE_STEPS - 2);
    const double rate = balance->exits[i] + (position - i) * (balance->exits[i + 1] - balance->exits[i]);
    chance[BALL_WAY_FAST] = (double)ball_rare_chance(gas, BALL_FAST_PART, x, opacity);
    chance[BALL_WAY_FAR] = (double)ball_rare_chance(gas, BALL_FAR_PART, x, opacity);
    chance[BALL_WAY_COMMON] = rate / (double)opacity - chance[BALL_WAY_FAST] - chance[BALL_WAY_FAR];
}

/* What dipole scattering that changes at x_wing does to all fractions. */
static double lean(const struct ball_gas *gas)
{
    const int changes = phase_in_core(gas->a, R(0.98) * gas->x_wing) && !phase_in_core(gas->a, R(1.02) * gas->x_wing);
    return gas->dipole && changes ? 1 + LEAN * (double)(gas->dipole_wing - gas->dipole_core) : 1;
}

void ball_balance_prepare(const struct ball_gas *gas, struct ball_balance *balance)
{
    double all = 0, sum = 0, left[BALL_WAYS] = {0};
    balance->step = (double)gas->x_wing / BALL_BALANCE_STEPS;
    for (int i = 0; i < BALL_BALANCE_STEPS; i++) {
        balance->exits[i] = exits_to_wing(gas, (i + 0.5) * balance->step);
        balance->returns[i] = sum += balance->exits[i];
    }
    for (int i = 0; i < BALL_BALANCE_STEPS; i++) {
        const double opacity = (double)voigt(gas->a, (real)((i + 0.5) * balance->step));
        double chance[BALL_WAYS];
        chances_at(balance, gas, (real)((i + 0.5) * balance->step), chance);
        all += opacity;
        for (int k = 0; k < BALL_WAYS; k++)
            left[k] += opacity * chance[k];
        balance->returns[i] /= sum;
    }
    for (int k = 0; k < BALL_WAYS; k++)
        balance->fraction[k] = lean(gas) * left[k] / all;
}

/* A frequency with which photons come back from the wing. Both sides of the line are alike. */
static real frequency_of_return(const struct ball_balance *balance, struct random4 random)
{
    const double uniform = (double)rng_uniform(random.r0);
    int low = 0, high = BALL_BALANCE_STEPS - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (uniform > balance->returns[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return (real)(balance->step * (low + (double)rng_uniform(random.r1)));
}

/* ---- cycles ---- */

/* What the mean jump from a row does. */
struct row_means {
    double chance[BALL_WAYS], scatterings;
};

static struct row_means means_of(const struct ball_table *table, const struct ball_gas *gas, const struct ball_row *row)
{
    struct row_means means = {{0}, 0};
    double before = 0;
    for (int part = 0; part < BALL_PARTS; part++) {
        const double chance = (double)row->up_to[part] - before;
        const enum ball_way way = ball_way_of(gas, part);
        before = (double)row->up_to[part];
        if (!(chance > 0))
            continue;
        means.scatterings += chance * (double)row->scattered[part] *
                             ball_record_means(table->record + row->first[part], row->n[part]).scatterings;
        if (way != BALL_WAYS)
            means.chance[way] += chance;
    }
    return means;
}

struct cycle_sums {
    double jumps, jump[BALL_WAYS], jump_scatterings, followed[BALL_WAYS], scatterings;
};

struct cycles {
    const struct ball_balance *balance;
    struct ball_trials set;
    int level;
    struct row_means row[BALL_ROWS];
};

static void jump(const struct cycles *cycles, struct ball_trial *trial, struct ball_photon *photon,
                 struct cycle_sums *sums)
{
    const struct ball_trials *set = &cycles->set;
    const struct random4 random = ball_draw(set, trial);
    const int row = ball_choose(&set->balls, &set->family, cycles->level, r_abs(photon->x), rng_uniform(random.r0));
    const struct row_means *means = &cycles->row[row - cycles->level * BALL_ROWS];
    sums->jumps++;
    sums->jump_scatterings += means->scatterings;
    for (int k = 0; k < BALL_WAYS; k++)
        sums->jump[k] += means->chance[k];
    *photon = ball_jump(set, photon, cycles->level, row, (double)rng_uniform(random.r1), ball_draw(set, trial),
                        ball_draw(set, trial));
}

static void scatter(const struct cycles *cycles, struct ball_trial *trial, struct ball_photon *photon,
                    struct cycle_sums *sums)
{
    double chance[BALL_WAYS];
    chances_at(cycles->balance, &cycles->set.gas, photon->x, chance);
    sums->scatterings++;
    for (int k = 0; k < BALL_WAYS; k++)
        sums->followed[k] += chance[k];
    *photon = ball_scatter_off(&cycles->set, trial, photon, ball_any_atom(&cycles->set, trial, photon->x));
}

/* From the return to the core until the photon leaves it; where it is does not matter. */
static void cycle(const struct cycles *cycles, uint32_t number, struct cycle_sums *sums)
{
    const struct ball_trials *set = &cycles->set;
    struct ball_trial trial = {.number = number};
    struct ball_photon photon = {.n = {R(0), R(0), R(1)}};
    photon.x = frequency_of_return(cycles->balance, ball_draw(set, &trial));
    while (!ball_in_wing(set, photon.x))
        if (r_abs(photon.x) < (real)set->family.x_start)
            jump(cycles, &trial, &photon, sums);
        else
            scatter(cycles, &trial, &photon, sums);
}

/* ---- factors ---- */

static const struct ball_factors NO_FACTORS = {{1, 1, 1}, 1};

/* About 1 / F scatterings. */
static double jumps_in_cycle(const struct cycles *cycles)
{
    double fraction = 0, scatterings = 0;
    for (int k = 0; k < BALL_WAYS; k++)
        fraction += cycles->balance->fraction[k];
    for (int row = 0; row < BALL_ROWS; row++)
        scatterings += cycles->row[row].scatterings / BALL_ROWS;
    return 1 / (fraction * scatterings);
}

static struct ball_factors factors_of(const struct ball_balance *balance, const struct cycle_sums *all)
{
    struct ball_factors factors;
    double fraction = 0, jumped = 0, followed = 0;
    for (int k = 0; k < BALL_WAYS; k++) {
        fraction += balance->fraction[k];
        jumped += all->jump[k];
        followed += all->followed[k];
    }
    const double alone = (fraction * (all->jump_scatterings + all->scatterings) - followed) / jumped;
    const double chances = pow(alone, 1 - jumped / all->jumps);
    const double scatterings = (chances * jumped + followed) / fraction;
    factors.scatterings = (scatterings - all->scatterings) / all->jump_scatterings;
    for (int k = 0; k < BALL_WAYS; k++)
        factors.chance[k] =
            all->jump[k] > 0 ? (balance->fraction[k] * scatterings - all->followed[k]) / all->jump[k] : 1;
    return factors;
}

struct ball_factors ball_balance_factors(const struct ball_balance *balance, const struct ball_gas *gas,
                                         const struct ball_table *table, int level, uint64_t seed, int threads,
                                         const volatile sig_atomic_t *stop)
{
    struct cycles cycles = {.balance = balance,
                            .set = {.gas = *gas,
                                    .family = table->family,
                                    .balls = {.row = table->row, .record = table->record},
                                    .key = rng_key_from_seed(seed),
                                    .row = STREAM_CYCLES + (uint32_t)level},
                            .level = level};
    struct cycle_sums sums[N_CHUNK] = {{.jumps = 0}}, all = {.jumps = 0};
    for (int row = 0; row < BALL_ROWS; row++)
        cycles.row[row] = means_of(table, gas, &table->row[level * BALL_ROWS + row]);
    if (jumps_in_cycle(&cycles) > BALL_MANY_JUMPS)
        return NO_FACTORS;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int chunk = 0; chunk < N_CHUNK; chunk++)
        for (int i = chunk * CHUNK; i < (chunk + 1) * CHUNK && !*stop; i++)
            cycle(&cycles, (uint32_t)i, &sums[chunk]);
    if (*stop)
        return NO_FACTORS;
    for (int chunk = 0; chunk < N_CHUNK; chunk++) {
        all.jumps += sums[chunk].jumps;
        all.jump_scatterings += sums[chunk].jump_scatterings;
        all.scatterings += sums[chunk].scatterings;
        for (int k = 0; k < BALL_WAYS; k++) {
            all.jump[k] += sums[chunk].jump[k];
            all.followed[k] += sums[chunk].followed[k];
        }
    }
    return factors_of(balance, &all);
}
