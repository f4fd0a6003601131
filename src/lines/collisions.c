#include "lines/collisions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/constants.h"

static int find_partner(const struct molecule *molecule, enum collider collider)
{
    for (int p = 0; p < molecule->n_partner; p++)
        if (molecule->partner[p].collider == collider)
            return p;
    return -1;
}

static bool is_hydrogen_molecule(enum collider collider)
{
    return collider == COLLIDER_H2 || collider == COLLIDER_PARA_H2 || collider == COLLIDER_ORTHO_H2;
}

static void list_partners(const struct molecule *molecule, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int p = 0; p < molecule->n_partner && length < size; p++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", p ? ", " : "",
                                   collider_name(molecule->partner[p].collider));
}

static enum lr_status no_rates(lr_context *ctx, const struct molecule *molecule, enum collider wanted)
{
    char known[128];
    if (molecule->n_partner == 0)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "%s: no collision rates, so only LTE is possible; use a file of this molecule from the Leiden "
                       "Atomic and Molecular Database (LAMDA), which has them",
                       molecule->name);
    list_partners(molecule, known, sizeof known);
    return lr_fail(ctx, LR_ERROR_INPUT,
                   "%s: no rates for collisions with %s (the file has: %s); remove its density, or say which of these "
                   "rates to use for it",
                   molecule->name, collider_name(wanted), known);
}

double collision_ortho_share(double temperature)
{
    const double gap = 170.6; /* K, between J = 1 and J = 0 of H2 */
    const double ratio = temperature > 0.0 ? fmin(3.0, 9.0 * exp(-gap / temperature)) : 0.0;
    return ratio / (1.0 + ratio);
}

/* Ortho- and para-H2 in place of total H2. */
static void split_hydrogen(lr_context *ctx, const struct molecule *molecule, int para, int ortho, enum collider given,
                           struct collision_plan *plan)
{
    plan->share[para][given] = 1.0;
    plan->share[ortho][given] = 1.0;
    plan->thermal[given] = true;
    lr_log(ctx, LR_LOG_INFO,
           "%s: collisions with %s use the rates of o-H2 and p-H2 in the thermal ratio min(3, 9 exp(-170.6 K / T))",
           molecule->name, collider_name(given));
}

/* Rates for the density of `given`, treated as `wanted`: its own, otherwise those of another form of H2. */
static enum lr_status assign(lr_context *ctx, const struct molecule *molecule, enum collider given,
                             enum collider wanted, struct collision_plan *plan)
{
    int found = find_partner(molecule, wanted);
    if (found < 0 && is_hydrogen_molecule(wanted)) {
        const int whole = find_partner(molecule, COLLIDER_H2);
        const int para = find_partner(molecule, COLLIDER_PARA_H2);
        const int ortho = find_partner(molecule, COLLIDER_ORTHO_H2);
        if (wanted == COLLIDER_H2 && para >= 0 && ortho >= 0) {
            split_hydrogen(ctx, molecule, para, ortho, given, plan);
            return LR_OK;
        }
        found = whole >= 0 ? whole : para >= 0 ? para : ortho;
    }
    if (found < 0)
        return no_rates(ctx, molecule, wanted);
    plan->share[found][given] += 1.0;
    if (molecule->partner[found].collider != given)
        lr_log(ctx, LR_LOG_INFO, "%s: collisions with %s use the rates of %s", molecule->name, collider_name(given),
               collider_name(molecule->partner[found].collider));
    return LR_OK;
}

enum lr_status collision_plan_make(lr_context *ctx, const struct molecule *molecule, const bool given[N_COLLIDER],
                                   const enum collider replace[N_COLLIDER], struct collision_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->n_partner = molecule->n_partner;
    if (molecule->n_partner > MAX_PARTNER)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: %d collision partners; the maximum is %d", molecule->name,
                       molecule->n_partner, MAX_PARTNER);
    if (given[COLLIDER_H2] && (given[COLLIDER_PARA_H2] || given[COLLIDER_ORTHO_H2]))
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "densities are given for both H2 and %s; give either the total H2, or o-H2 and p-H2",
                       collider_name(given[COLLIDER_PARA_H2] ? COLLIDER_PARA_H2 : COLLIDER_ORTHO_H2));
    for (int c = COLLIDER_H2; c < N_COLLIDER; c++) {
        const enum collider collider = (enum collider)c;
        if (given[c])
            LR_TRY(assign(ctx, molecule, collider, replace && replace[c] ? replace[c] : collider, plan));
    }
    return LR_OK;
}

/* The position of a temperature in a table: between `index` and the next entry, `fraction` of the way. */
struct table_place {
    int index, next;
    double fraction;
};

static struct table_place find_place(const struct partner *partner, double temperature)
{
    const double *table = partner->temperature;
    const int last = partner->n_temperature - 1;
    if (last == 0 || !(temperature > table[0]))
        return (struct table_place){0, 0, 0.0};
    if (temperature >= table[last])
        return (struct table_place){last, last, 0.0};
    int below = 0;
    while (table[below + 1] <= temperature)
        below++;
    return (struct table_place){below, below + 1, (temperature - table[below]) / (table[below + 1] - table[below])};
}

static void add_downward(const struct partner *partner, int n, double density, double temperature, double *rate)
{
    const struct table_place place = find_place(partner, temperature);
    const double here = density * (1.0 - place.fraction);
    const double beyond = density * place.fraction;
    for (int t = 0; t < partner->n_transition; t++) {
        const double *row = partner->rate + (size_t)t * (size_t)partner->n_temperature;
        if (partner->upper[t] < n && partner->lower[t] < n)
            rate[(size_t)partner->upper[t] * (size_t)n + (size_t)partner->lower[t]] +=
                here * row[place.index] + beyond * row[place.next];
    }
}

/* exp(-(E_a - E_b) / kT) from the factors of both levels, or from the difference if these have underflowed. */
static double boltzmann_ratio(double factor_a, double factor_b, double gap, double scale)
{
    const double small = 1e-280;
    if (factor_a > small && factor_b > small)
        return factor_a / factor_b;
    return gap == 0.0 ? 1.0 : exp(-gap * scale);
}

/* Detailed balance of every listed rate, C_lu = C_ul (g_u / g_l) exp(-(E_u - E_l) / kT). The table decides which level
 * of a pair is the upper one: some files list levels slightly out of order. The diagonal temporarily holds the
 * Boltzmann factors. */
static void add_reverse(const struct level *level, size_t n, double temperature, double *rate)
{
    const double scale = temperature > 0.0 ? LR_PLANCK * LR_LIGHT_SPEED / (LR_BOLTZMANN * temperature) : HUGE_VAL;
    for (size_t i = 0; i < n; i++)
        rate[i * n + i] = level[i].energy > 0.0 ? exp(-level[i].energy * scale) : 1.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const double gap = level[i].energy - level[j].energy;
            const double i_to_j = rate[i * n + j];
            const double j_to_i = rate[j * n + i];
            const double weights = level[i].weight / level[j].weight;
            if (i_to_j > 0.0)
                rate[j * n + i] += i_to_j * weights * boltzmann_ratio(rate[i * n + i], rate[j * n + j], gap, scale);
            if (j_to_i > 0.0)
                rate[i * n + j] += j_to_i / weights * boltzmann_ratio(rate[j * n + j], rate[i * n + i], -gap, scale);
        }
    for (size_t i = 0; i < n; i++)
        rate[i * n + i] = 0.0;
}

static double partner_density(const struct collision_plan *plan, int partner, enum collider kind, double temperature,
                              const double density[N_COLLIDER])
{
    const double ortho = collision_ortho_share(temperature);
    double sum = 0.0;
    for (int c = COLLIDER_H2; c < N_COLLIDER; c++) {
        const double of_kind = !plan->thermal[c] ? 1.0 : kind == COLLIDER_ORTHO_H2 ? ortho : 1.0 - ortho;
        sum += plan->share[partner][c] > 0.0 ? plan->share[partner][c] * of_kind * density[c] : 0.0;
    }
    return sum;
}

void collision_rates_among(const struct molecule *molecule, const struct collision_plan *plan, int n,
                           double temperature, const double density[N_COLLIDER], double *rate)
{
    memset(rate, 0, (size_t)n * (size_t)n * sizeof *rate);
    for (int p = 0; p < plan->n_partner; p++) {
        const double sum = partner_density(plan, p, molecule->partner[p].collider, temperature, density);
        if (sum > 0.0)
            add_downward(&molecule->partner[p], n, sum, temperature, rate);
    }
    add_reverse(molecule->level, (size_t)n, temperature, rate);
}

void collision_rates(const struct molecule *molecule, const struct collision_plan *plan, double temperature,
                     const double density[N_COLLIDER], double *rate)
{
    collision_rates_among(molecule, plan, molecule->n_level, temperature, density, rate);
}

bool collision_clamped(const struct molecule *molecule, const struct collision_plan *plan, double low, double high)
{
    for (int p = 0; p < plan->n_partner; p++) {
        const struct partner *partner = &molecule->partner[p];
        bool used = false;
        for (int c = COLLIDER_H2; c < N_COLLIDER; c++)
            used = used || plan->share[p][c] > 0.0;
        if (used && (partner->temperature[0] > low || partner->temperature[partner->n_temperature - 1] < high))
            return true;
    }
    return false;
}
