/* Per line i the frequencies of its profile are taken in steps, from blue to red. With t the depth of all lines in a
 * step, T' and E' the depth and the emission of the others in it, D_i and U_i = x_u of line i, and
 *
 *     R_i / A_i = <a>_i (U_i - nbar_outside D_i) + <c>_i U_i - <d>_i D_i,
 *
 * a step changes a by e, c by c e + T' m, d by d e + E' m, and its means are a m, c m + T' g, d m + E' g, where
 *
 *     e = exp(-t),  m = (1 - e) / t,  g = (1 - m) / t
 *
 * (opacities in constant proportion within a step). Derivatives are carried along. */
#include "lines/overlap_flow.h"

#include <math.h>
#include <string.h>

/* In Doppler widths: the step, and where profiles end (depths of 1e12 reach to 5.3). */
static const double STEP = 0.2, EDGE = 6.0;

struct step {
    double t, e, m, g, dm, dg; /* with derivatives of m and g */
};

static struct step step_of(double t)
{
    struct step step = {.t = t, .e = exp(-t)};
    if (fabs(t) < 1e-2) {
        step.m = 1 - t * (1.0 / 2 - t * (1.0 / 6 - t * (1.0 / 24 - t / 120)));
        step.g = 1.0 / 2 - t * (1.0 / 6 - t * (1.0 / 24 - t / 120));
        step.dm = -1.0 / 2 + t * (1.0 / 3 - t * (1.0 / 8 - t / 30));
        step.dg = -1.0 / 6 + t * (1.0 / 12 - t * (1.0 / 40 - t / 180));
    } else {
        step.m = (1 - step.e) / t;
        step.g = (1 - step.m) / t;
        step.dm = (step.e - step.m) / t;
        step.dg = (-step.dm - step.g) / t;
    }
    return step;
}

/* a, c and d, or their means, or derivatives of these; u is the derivative of d with respect to U of a line. */
struct terms {
    double a, c, d, u;
};

/* One line at a time: its share of a step, its derivatives so far, and their means. */
struct flow_line {
    double offset, kappa, excess, upper;
    double bluer; /* share of its profile that is bluer than the frequency reached */
    double part;  /* kappa times its profile in the step */
    struct terms now, mean;
};

/* The share of a profile that is bluer than x. */
static double share_bluer(double x)
{
    return x > EDGE ? 0 : x < -EDGE ? 1 : 0.5 * erfc(x);
}

static void add_mean(struct terms *mean, double share, struct terms add)
{
    mean->a += share * add.a;
    mean->c += share * add.c;
    mean->d += share * add.d;
    mean->u += share * add.u;
}

/* The effect of a line on the means of a step and on what leaves it; `part` is the derivative of the depth t with
 * respect to its D. Other lines than the first one add to T' and E'. */
static void advance_line(struct flow_line *line, struct terms all, double depth, double emitted, struct step s,
                         bool is_other, double part, double share)
{
    const double other = is_other ? line->part : 0.0;
    const struct terms now = line->now;
    add_mean(&line->mean, share,
             (struct terms){now.a * s.m + all.a * s.dm * part,
                            now.c * s.m + all.c * s.dm * part + other * s.g + depth * s.dg * part,
                            now.d * s.m + all.d * s.dm * part + emitted * s.dg * part, now.u * s.m + other * s.g});
    line->now =
        (struct terms){(now.a - all.a * part) * s.e, (now.c - all.c * part) * s.e + other * s.m + depth * s.dm * part,
                       (now.d - all.d * part) * s.e + emitted * s.dm * part, now.u * s.e + other * s.m};
}

/* From the bluest line to the red end of the first one. Returns the means for that one. */
static struct terms follow(int n, struct flow_line *line, double limit, bool *beyond)
{
    struct terms all = {.a = 1}, mean = {0};
    double start = EDGE, total = 0, peak = 0; /* depth from the blue end, and its maximum */
    for (int k = 0; k < n; k++)
        start = fmax(start, line[k].offset + EDGE);
    const int steps = (int)ceil((start + EDGE) / STEP);
    for (int j = 0; j < steps; j++) {
        const double red = start - (j + 1) * STEP;
        double t = 0, depth = 0, emitted = 0, share = 0;
        for (int k = 0; k < n; k++) {
            const double bluer = share_bluer(red - line[k].offset);
            const double in_step = bluer - line[k].bluer;
            line[k].bluer = bluer;
            line[k].part = line[k].kappa * in_step;
            t += line[k].part * line[k].excess;
            depth += k > 0 ? line[k].part * line[k].excess : 0;
            emitted += k > 0 ? line[k].part * line[k].upper : 0;
            share = k > 0 ? share : in_step;
        }
        const bool live = total + t >= peak - limit;
        t = live ? t : peak - limit - total;
        total += t;
        peak = fmax(peak, total);
        *beyond = *beyond || !live;
        const struct step s = step_of(t);
        for (int k = 0; k < n; k++) /* where the depth is held it does not depend on populations */
            if (line[k].bluer > 0)
                advance_line(&line[k], all, depth, emitted, s, k > 0, live ? line[k].part : 0.0, share);
        add_mean(&mean, share, (struct terms){all.a * s.m, all.c * s.m + depth * s.g, all.d * s.m + emitted * s.g, 0});
        all = (struct terms){all.a * s.e, all.c * s.e + depth * s.m, all.d * s.e + emitted * s.m, 0};
    }
    return mean;
}

int overlap_flow_size(int n_line)
{
    return n_line * (int)(sizeof(struct flow_line) / sizeof(double));
}

double overlap_flow_rate(const struct escape_problem *problem, const struct escape_workspace *escape, int n,
                         const int *member, const double *offset, double sign, const double *x, double *room,
                         struct overlap_slope *slope, bool *beyond)
{
    const struct molecule *molecule = problem->molecule;
    struct flow_line *line = (struct flow_line *)(void *)room;
    const double outside = escape->photons[member[0]];
    for (int k = 0; k < n; k++) {
        const struct transition *from = &molecule->line[member[k]];
        line[k] = (struct flow_line){.offset = sign * offset[k],
                                     .kappa = escape->kappa[member[k]],
                                     .excess = escape_excess(molecule, from, x),
                                     .upper = x[from->upper]};
    }
    const struct terms mean = follow(n, line, problem->inversion_limit, beyond);
    const double upper = line[0].upper, excess = line[0].excess, net = upper - outside * excess;
    for (int k = 0; k < n; k++) {
        const struct terms by = line[k].mean;
        slope[k].excess = by.a * net + by.c * upper - by.d * excess;
        slope[k].upper = k > 0 ? -excess * by.u : 0.0;
    }
    slope[0].excess -= mean.a * outside + mean.d;
    slope[0].upper += mean.a + mean.c;
    return mean.a * net + mean.c * upper - mean.d * excess;
}
