/* Newton's method for all levels at once, with dense matrices. The net downward rate of line i, averaged over its
 * profile, is written without differences of large numbers: own light that does not escape cancels,
 *
 *     R_i = A_i < beta x_u + h (x_u T' - D_i E') - beta nbar_outside D_i >_i ,      h = (1 - beta) / tau,
 *
 * with T' = SUM_(j != i) k_j D_j and E' = SUM_(j != i) k_j x_u(j) of the other lines. */
#include "lines/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "kernel/level_solve.h"
#include "lines/escape_parts.h"
#include "lines/overlap_flow.h"

/* The trapezoidal rule converges exponentially for Gaussian profiles. Depths of 1e12 reach to |x| = 5.3, where beta
 * changes over about 0.1. */
enum { N_NODE = 121 };
static const double node_step = 0.1;
static const double reach = 12; /* Doppler widths between lines that see each other: that of the nodes, twice */

struct place {
    double frequency;
    int line;
};

struct overlap_workspace {
    struct place *order;           /* [n_line] by frequency */
    int *other;                    /* [n_line] lines that overlap with the present one, itself first */
    double *share;                 /* [n_line][N_NODE] k_j of these */
    double *offset;                /* [n_line] their distances, Doppler widths */
    double *flow;                  /* for overlap_flow.c */
    struct overlap_slope *by_line; /* [n_line] */
    double *jacobian;              /* [n_level][n_level] */
    double *residual;              /* [n_level] */
    double *slope;                 /* [n_level] of the rate of a line */
    double x[N_NODE], weight[N_NODE];
};

static int by_frequency(const void *one, const void *other)
{
    const double a = ((const struct place *)one)->frequency, b = ((const struct place *)other)->frequency;
    return (a > b) - (a < b);
}

enum lr_status overlap_workspace_create(lr_context *ctx, const struct molecule *molecule,
                                        struct overlap_workspace **workspace)
{
    const size_t n = (size_t)molecule->n_level, n_line = (size_t)molecule->n_line;
    struct overlap_workspace *made = NULL;
    enum lr_status status = LR_OK;
    LR_TRY(lr_allocate(ctx, 1, sizeof *made, &made));
    LR_TRY_OR(failed, status, lr_allocate(ctx, n_line, sizeof *made->order, &made->order));
    LR_TRY_OR(failed, status, lr_allocate(ctx, n_line, sizeof *made->other, &made->other));
    LR_TRY_OR(failed, status, lr_allocate(ctx, n_line * N_NODE, sizeof *made->share, &made->share));
    LR_TRY_OR(failed, status, lr_allocate(ctx, n_line, sizeof *made->offset, &made->offset));
    LR_TRY_OR(failed, status,
              lr_allocate(ctx, (size_t)overlap_flow_size(molecule->n_line), sizeof *made->flow, &made->flow));
    LR_TRY_OR(failed, status, lr_allocate(ctx, n_line, sizeof *made->by_line, &made->by_line));
    LR_TRY_OR(failed, status, lr_allocate(ctx, n * n, sizeof *made->jacobian, &made->jacobian));
    LR_TRY_OR(failed, status, lr_allocate(ctx, n, sizeof *made->residual, &made->residual));
    LR_TRY_OR(failed, status, lr_allocate(ctx, n, sizeof *made->slope, &made->slope));
    double sum = 0.0;
    for (int q = 0; q < N_NODE; q++) {
        made->x[q] = node_step * (q - N_NODE / 2);
        sum += made->weight[q] = exp(-made->x[q] * made->x[q]);
    }
    for (int q = 0; q < N_NODE; q++)
        made->weight[q] /= sum;
    for (int i = 0; i < molecule->n_line; i++)
        made->order[i] = (struct place){molecule->line[i].frequency, i};
    qsort(made->order, n_line, sizeof *made->order, by_frequency);
    *workspace = made;
    return LR_OK;
failed:
    overlap_workspace_free(made);
    return status;
}

void overlap_workspace_free(struct overlap_workspace *workspace)
{
    if (!workspace)
        return;
    free(workspace->order);
    free(workspace->other);
    free(workspace->share);
    free(workspace->offset);
    free(workspace->flow);
    free(workspace->by_line);
    free(workspace->jacobian);
    free(workspace->residual);
    free(workspace->slope);
    free(workspace);
}

/* ---- one line ---- */

/* x of a frequency seen from another line: nu = nu_i (1 + x b / c). */
static double seen_from(const struct transition *line, const struct transition *other, double x, double b)
{
    return x * line->frequency / other->frequency + (line->frequency / other->frequency - 1.0) * LR_LIGHT_SPEED / b;
}

static void add_other(const struct molecule *molecule, int i, int j, double b, struct overlap_workspace *work, int *n)
{
    work->offset[*n] = -seen_from(&molecule->line[i], &molecule->line[j], 0.0, b);
    work->other[(*n)++] = j;
}

/* The lines that overlap with the one at place `at` of the order of frequencies, itself first. Returns how many. */
static int find_others(const struct molecule *molecule, const struct escape_workspace *escape, int at, double b,
                       struct overlap_workspace *work)
{
    const int i = work->order[at].line;
    int n = 0;
    add_other(molecule, i, i, b, work, &n);
    for (int direction = -1; direction <= 1; direction += 2)
        for (int place = at + direction; place >= 0 && place < molecule->n_line; place += direction) {
            const int j = work->order[place].line;
            if (fabs(seen_from(&molecule->line[i], &molecule->line[j], 0.0, b)) > reach)
                break;
            if (!escape_leaves_out(escape, &molecule->line[j]))
                add_other(molecule, i, j, b, work, &n);
        }
    return n;
}

static void fill_shares(const struct molecule *molecule, const struct escape_workspace *escape, int n, double b,
                        struct overlap_workspace *work)
{
    const struct transition *line = &molecule->line[work->other[0]];
    for (int m = 0; m < n; m++)
        for (int q = 0; q < N_NODE; q++) {
            const double x = seen_from(line, &molecule->line[work->other[m]], work->x[q], b);
            work->share[(size_t)m * N_NODE + (size_t)q] = escape->kappa[work->other[m]] * exp(-x * x);
        }
}

/* What a node of the profile needs of the gas. */
struct node {
    double beta, slope;    /* beta(tau), d(beta)/d(tau) */
    double h, bend;        /* (1 - beta) / tau, and its derivative */
    double depth, emitted; /* T' and E' */
};

static struct node node_of(const struct escape_problem *problem, const struct overlap_workspace *work, int n, int q,
                           const double *x, bool *beyond)
{
    const struct molecule *molecule = problem->molecule;
    struct node node = {0};
    double tau = 0.0;
    for (int m = 0; m < n; m++) {
        const struct transition *line = &molecule->line[work->other[m]];
        const double share = work->share[(size_t)m * N_NODE + (size_t)q];
        const double depth = share * escape_excess(molecule, line, x);
        tau += depth;
        if (m > 0) {
            node.depth += depth;
            node.emitted += share * x[line->upper];
        }
    }
    const struct escape_beta beta = escape_probability((int)problem->geometry, tau, problem->inversion_limit);
    *beyond = *beyond || tau < -problem->inversion_limit;
    node.beta = beta.value;
    node.slope = beta.slope;
    node.h = fabs(tau) < 1e-6 ? -beta.slope : (1.0 - beta.value) / tau;
    node.bend = fabs(tau) < 1e-3 ? 0.0 : (-beta.slope - node.h) / tau;
    return node;
}

/* d(D_j) adds to the slope of a rate. */
static void add_excess(const struct molecule *molecule, const struct transition *line, double factor, double *slope)
{
    slope[line->lower] += factor * molecule->level[line->upper].weight / molecule->level[line->lower].weight;
    slope[line->upper] -= factor;
}

/* R_i / A_i at x, and its derivatives in work->slope. */
static double line_rate(const struct escape_problem *problem, const struct escape_workspace *escape, int i, int n,
                        const double *x, struct overlap_workspace *work, bool *beyond)
{
    const struct molecule *molecule = problem->molecule;
    const struct transition *line = &molecule->line[i];
    const double excess = escape_excess(molecule, line, x), upper = x[line->upper], outside = escape->photons[i];
    double rate = 0.0;
    memset(work->slope, 0, (size_t)escape->n_level * sizeof *work->slope);
    for (int q = 0; q < N_NODE; q++) {
        const double w = work->weight[q];
        const struct node node = node_of(problem, work, n, q, x, beyond);
        const double exchange = upper * node.depth - excess * node.emitted;
        rate += w * (node.beta * (upper - outside * excess) + node.h * exchange);
        const double by_depth = w * (node.slope * (upper - outside * excess) + node.bend * exchange);
        work->slope[line->upper] += w * (node.beta + node.h * node.depth);
        add_excess(molecule, line, -w * (node.beta * outside + node.h * node.emitted), work->slope);
        for (int m = 0; m < n; m++) {
            const struct transition *other = &molecule->line[work->other[m]];
            const double share = work->share[(size_t)m * N_NODE + (size_t)q];
            add_excess(molecule, other, share * (by_depth + (m > 0 ? w * node.h * upper : 0.0)), work->slope);
            if (m > 0)
                work->slope[other->upper] -= w * node.h * excess * share;
        }
    }
    return rate;
}

/* Lines are neglected that change the light of another one by less than this part. */
static const double negligible = 1e-7;

/* Leaves out those of n lines that do not matter to the first one; returns how many are left. */
static int drop_faint(const struct escape_problem *problem, const struct escape_workspace *escape, int n,
                      const double *x, struct overlap_workspace *work)
{
    const struct molecule *molecule = problem->molecule;
    const struct transition *first = &molecule->line[work->other[0]];
    const double absorb = fabs(escape_excess(molecule, first, x)) / x[first->upper];
    int left = 1;
    for (int m = 1; m < n; m++) {
        const struct transition *line = &molecule->line[work->other[m]];
        const double depth = fabs(escape_excess(molecule, line, x)) + absorb * x[line->upper];
        if (!(escape->kappa[work->other[m]] * depth > negligible))
            continue;
        work->other[left] = work->other[m];
        work->offset[left++] = work->offset[m];
    }
    return left;
}

/* The same with a velocity gradient, of which the part `expanding` is expansion. A line that
 * overlaps with none has its escape probability. */
static double line_rate_in_flow(const struct escape_problem *problem, const struct escape_workspace *escape, int i,
                                int n, const double *x, struct overlap_workspace *work, bool *beyond)
{
    const struct molecule *molecule = problem->molecule;
    const double expanding = problem->expanding;
    double rate = 0.0;
    memset(work->slope, 0, (size_t)escape->n_level * sizeof *work->slope);
    n = drop_faint(problem, escape, n, x, work);
    if (n == 1) {
        const struct transition *line = &molecule->line[i];
        const double excess = escape_excess(molecule, line, x), tau = escape->kappa[i] * excess;
        const double net = x[line->upper] - escape->photons[i] * excess;
        const struct escape_beta beta = escape_probability((int)problem->geometry, tau, problem->inversion_limit);
        *beyond = *beyond || tau < -problem->inversion_limit;
        add_excess(molecule, line, escape->kappa[i] * beta.slope * net - beta.value * escape->photons[i], work->slope);
        work->slope[line->upper] += beta.value;
        return beta.value * net;
    }
    for (int side = 0; side < 2; side++) {
        const double share = side == 0 ? expanding : 1.0 - expanding;
        if (!(share > 0.0))
            continue;
        rate += share * overlap_flow_rate(problem, escape, n, work->other, work->offset, side == 0 ? 1.0 : -1.0, x,
                                          work->flow, work->by_line, beyond);
        for (int m = 0; m < n; m++) {
            const struct transition *line = &molecule->line[work->other[m]];
            add_excess(molecule, line, share * work->by_line[m].excess, work->slope);
            work->slope[line->upper] += share * work->by_line[m].upper;
        }
    }
    return rate;
}

/* ---- all levels ---- */

static void add_collisions(const struct escape_workspace *escape, const double *x, struct overlap_workspace *work)
{
    const size_t n = (size_t)escape->n_level;
    memset(work->jacobian, 0, n * n * sizeof *work->jacobian);
    memset(work->residual, 0, n * sizeof *work->residual);
    for (size_t from = 0; from < n; from++)
        for (size_t to = 0; to < n; to++) {
            const double rate = from == to ? 0.0 : escape->collision[from * n + to];
            work->jacobian[to * n + from] += rate;
            work->jacobian[from * n + from] -= rate;
            work->residual[to] += rate * x[from];
            work->residual[from] -= rate * x[from];
        }
}

/* d(x_i)/dt and its derivatives at x. True if the gas amplifies beyond the limit. */
static bool linearise(const struct escape_problem *problem, const struct escape_workspace *escape, double b,
                      const double *x, struct overlap_workspace *work)
{
    const struct molecule *molecule = problem->molecule;
    const size_t n = (size_t)escape->n_level;
    bool beyond = false;
    add_collisions(escape, x, work);
    for (int at = 0; at < molecule->n_line; at++) {
        const int i = work->order[at].line;
        const struct transition *line = &molecule->line[i];
        if (escape_leaves_out(escape, line))
            continue;
        const int n_other = find_others(molecule, escape, at, b, work);
        double rate = line->a_ul;
        if (problem->geometry == ESCAPE_EXPANSION) {
            rate *= line_rate_in_flow(problem, escape, i, n_other, x, work, &beyond);
        } else {
            fill_shares(molecule, escape, n_other, b, work);
            rate *= line_rate(problem, escape, i, n_other, x, work, &beyond);
        }
        const size_t u = (size_t)line->upper, l = (size_t)line->lower;
        work->residual[u] -= rate;
        work->residual[l] += rate;
        for (size_t k = 0; k < n; k++) {
            work->jacobian[u * n + k] -= line->a_ul * work->slope[k];
            work->jacobian[l * n + k] += line->a_ul * work->slope[k];
        }
    }
    return beyond;
}

/* Gaussian elimination with partial pivoting: solves matrix y = right, in place. False if it is singular. */
static bool eliminate(size_t n, double *matrix, double *right)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(matrix[i * n + k]) > fabs(matrix[best * n + k]))
                best = i;
        if (!(fabs(matrix[best * n + k]) > 0.0))
            return false;
        for (size_t j = 0; best != k && j < n; j++) {
            const double kept = matrix[k * n + j];
            matrix[k * n + j] = matrix[best * n + j];
            matrix[best * n + j] = kept;
        }
        const double kept = right[k];
        right[k] = right[best];
        right[best] = kept;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = matrix[i * n + k] / matrix[k * n + k];
            for (size_t j = k; j < n && factor != 0.0; j++)
                matrix[i * n + j] -= factor * matrix[k * n + j];
            right[i] -= factor * right[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            right[k] -= matrix[k * n + j] * right[j];
        right[k] /= matrix[k * n + k];
    }
    return true;
}

/* In relative changes of the populations, so that faint ones are as accurate as others; each row has the scale 1. One
 * equation follows from the others, and the sum of all populations takes its place. */
static void scale(int n, const double *x, struct overlap_workspace *work)
{
    int most = 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        most = x[i] > x[most] ? i : most;
    }
    for (int i = 0; i < n; i++) {
        double *row = work->jacobian + (size_t)i * (size_t)n, largest = 0.0;
        for (int k = 0; k < n; k++) {
            row[k] = (i == most ? 1.0 : row[k]) * x[k];
            largest = fmax(largest, fabs(row[k]));
        }
        work->residual[i] = i == most ? 1.0 - sum : -work->residual[i];
        for (int k = 0; k < n && largest > 0.0; k++)
            row[k] /= largest;
        work->residual[i] /= largest > 0.0 ? largest : 1.0;
    }
}

/* Part of a step. Returns the largest relative change; a population changes by a factor of 5 at most. */
static double take_step(int n, const double *change, double part, double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double step = part * change[i];
        if (x[i] > ESCAPE_FAINT && !(fabs(step) <= largest))
            largest = fabs(step);
        x[i] *= fmin(fmax(1.0 + step, 0.2), 5.0);
    }
    level_normalise(n, x);
    return largest;
}

bool overlap_happens(const struct overlap_workspace *work, int n_line, double b)
{
    for (int at = 1; at < n_line; at++)
        if ((work->order[at].frequency / work->order[at - 1].frequency - 1.0) * LR_LIGHT_SPEED / b <= reach)
            return true;
    return false;
}

struct escape_outcome overlap_solve(const struct escape_problem *problem, double b, struct escape_workspace *escape,
                                    struct overlap_workspace *work, double *x)
{
    const double faintest = 1e-200; /* products with rates stay above underflow */
    const int patience = 40;        /* where lines amplify, whole steps may go back and forth */
    const int n = escape->n_level;
    struct escape_outcome outcome = {.error = 1.0, .bad_level = escape->bad_level};
    double previous = 1.0;
    for (int i = 0; i < n; i++)
        x[i] = fmax(x[i], faintest);
    while (outcome.bad_level < 0 && outcome.iterations < problem->iterations && !outcome.converged) {
        outcome.inverted = linearise(problem, escape, b, x, work);
        scale(n, x, work);
        const double part = outcome.iterations < patience ? 1.0 : outcome.iterations < 2 * patience ? 0.5 : 0.1;
        const bool solved = eliminate((size_t)n, work->jacobian, work->residual);
        const double change = solved ? take_step(n, work->residual, part, x) : (double)NAN;
        outcome.iterations++;
        outcome.error = escape_remaining_error(change, previous, part);
        outcome.converged = outcome.error < problem->error && change < 1e-2;
        previous = change;
        for (int i = 0; i < n && outcome.bad_level < 0; i++)
            if (!isfinite(x[i]) || !isfinite(change))
                outcome.bad_level = i;
    }
    return outcome;
}
