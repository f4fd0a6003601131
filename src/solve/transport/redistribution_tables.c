/* Builds the tables that kernel/tables.h reads, in double.
 *
 * A row holds the cumulative distribution of w = 1/v, density f(v) dv = f(1/w) dw / w^2 with f(v) = exp(-x^2 (1 - w^2)
 * - a^2 (1/w^2 - 1)) (kernel/redistribution.h), integrated between nodes: nodes are not taken to be the centres of
 * intervals. */
#include "solve/transport/redistribution_tables.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "base/context.h"

enum {
    N_NODE = 251,
    N_ROW_UNIFORM = 101, /* steps of 1/20 up to 5 */
    N_ROW_LOG = 40,
    N_ROW_UNIFORM_SMALL = 26, /* for constant memory: steps of 1/5; with these, 44 x 251 floats and 5000 Voigt points */
    N_ROW_LOG_SMALL = 18,     /* fill 63 of 64 KiB */
    N_PLANE = 64,             /* damping planes if it varies */
    N_VOIGT_2D = 512,         /* per plane, half of them uniform up to 6 */
    N_VOIGT_1D = 5000,        /* logarithmic except for the first step, which covers x < 1e-3 */
    N_SUBSTEP = 6
};
static const double X_JOIN = 5; /* or more where a < 6e-8 */
static const double X_LAST = 300;
static const double VOIGT_LAST = 1e5;

/* w at a node of kernel/tables.h below the middle one, and y = 1 - w^2 from there on: neither can be computed from the
 * other, since w may be as small as 1e-18 and y as 1e-6. */
static double node_w(double a, int node)
{
    const int half = N_NODE / 2;
    const double log_first = log(fmin(a, 1.0) / 6);
    return node == 0 ? 0 : exp(-0.5 * log(2) + (log_first + 0.5 * log(2)) * (half - node) / (half - 1));
}

static double node_y(int node)
{
    const int half = N_NODE / 2;
    return node == N_NODE - 1 ? 0 : 0.5 * exp(log(2e-6) * (node - half) / (N_NODE - 2 - half));
}

static double row_x(const struct transport_tables *view, int row)
{
    const int n = view->n_row_uniform;
    if (row < n)
        return view->x_join * row / (n - 1);
    return view->x_join * pow(X_LAST / view->x_join, (double)(row - n + 1) / (view->n_row - n));
}

/* Density in w at a given w. */
static double density(double a, double x, double w)
{
    return exp(-x * x * (1 - w * w) - a * a * (1 / (w * w) - 1)) / (w * w);
}

/* Each interval by the midpoint rule in w where y > 1/2, in y elsewhere (dw = dy / (2 w)). */
static void fill_row(double a, double x, double *cdf)
{
    const int half = N_NODE / 2;
    cdf[0] = 0;
    cdf[1] = 0;
    for (int node = 2; node < N_NODE; node++) {
        const int low = node <= half;
        const double before = low ? node_w(a, node - 1) : node_y(node - 1);
        const double after = low ? node_w(a, node) : node_y(node);
        double sum = 0;
        for (int k = 0; k < N_SUBSTEP; k++) {
            const double middle = before + (k + 0.5) / N_SUBSTEP * (after - before);
            const double w = low ? middle : sqrt(1 - middle);
            sum += density(a, x, w) * (low ? after - before : (before - after) / (2 * w)) / N_SUBSTEP;
        }
        cdf[node] = cdf[node - 1] + sum;
    }
    for (int node = 1; node < N_NODE; node++)
        cdf[node] /= cdf[N_NODE - 1];
}

/* H(a, x) from the normalisation of the velocity distribution, an integral of a positive function:
 *
 *     H = (2 a / sqrt(pi)) INT_0^1 exp(-x^2 (1 - w^2) - a^2 (1/w^2 - 1)) dw / w^2
 *
 * with w = (a/6.5)^(s^3), s in (0, 1): points crowd towards w = 1, which dominates in the wing. The midpoint rule
 * reaches 1e-9 for x < 100, the asymptotic series a / (sqrt(pi) x^2) (1 + (3/2 - a^2) / x^2) beyond. */
static double hjerting(double a, double x)
{
    enum { N = 500 };
    if (x > 100)
        return a / (LR_SQRT_PI * x * x) * (1 + (1.5 - a * a) / (x * x));
    const double log_first = log(fmin(a, 1.0) / 6.5);
    double sum = 0;
    for (int k = 0; k < N; k++) {
        const double s = (k + 0.5) / N;
        const double w = exp(log_first * s * s * s);
        sum += exp(-x * x * (1 - w * w) - a * a * (1 / (w * w) - 1)) / w * s * s;
    }
    return 2 * a / LR_SQRT_PI * sum * -log_first * 3 / N;
}

static double voigt_x(const struct transport_tables *view, int point)
{
    if (point < view->n_voigt_uniform)
        return view->voigt_join * point / (view->n_voigt_uniform - 1);
    return view->voigt_join * pow(view->voigt_last / view->voigt_join, (double)(point - view->n_voigt_uniform + 1) /
                                                                           (view->n_voigt - view->n_voigt_uniform));
}

/* Beyond this x, exp(-x^2) stays below a / (sqrt(pi) x^2). Rows are closely spaced up to there; beyond, only the wing
 * counts. */
static double crossing(double a)
{
    double square = 10;
    for (int step = 0; step < 10; step++)
        square = fmax(log(LR_SQRT_PI * square / a), 1);
    return sqrt(square);
}

enum lr_status tables_build(lr_context *ctx, double a_min, double a_max, bool constant, struct tables *tables)
{
    *tables = (struct tables){0};
    const double low = fmax(a_min, 1e-17);
    const double high = fmax(a_max, low);
    struct transport_tables *view = &tables->view;
    view->n_a = constant || high <= low * (1 + 1e-12) ? 1 : N_PLANE;
    view->log_a_first = log(low);
    view->log_a_step = view->n_a > 1 ? log(high / low) / (view->n_a - 1) : 1;
    view->n_row_uniform = constant ? N_ROW_UNIFORM_SMALL : N_ROW_UNIFORM;
    view->n_row = view->n_row_uniform + (constant ? N_ROW_LOG_SMALL : N_ROW_LOG);
    view->n_node = N_NODE;
    view->x_join = fmax(X_JOIN, crossing(low) + 0.5);
    view->x_last = X_LAST;
    view->n_voigt = constant ? N_VOIGT_1D : N_VOIGT_2D;
    view->n_voigt_uniform = constant ? 2 : N_VOIGT_2D / 2;
    view->voigt_join = constant ? 1e-3 : 6;
    view->voigt_last = VOIGT_LAST;

    enum lr_status status = LR_OK;
    const size_t n_cdf = (size_t)view->n_a * (size_t)view->n_row * N_NODE;
    LR_TRY_OR(fail, status, lr_allocate(ctx, n_cdf, sizeof(double), &tables->cdf));
    LR_TRY_OR(fail, status,
              lr_allocate(ctx, (size_t)view->n_a * (size_t)view->n_voigt, sizeof(double), &tables->log_voigt));
#pragma omp parallel for schedule(dynamic)
    for (int plane = 0; plane < view->n_a; plane++) {
        const double a = exp(view->log_a_first + plane * view->log_a_step);
        for (int row = 0; row < view->n_row; row++)
            fill_row(a, row_x(view, row), tables->cdf + ((size_t)plane * (size_t)view->n_row + (size_t)row) * N_NODE);
        for (int point = 0; point < view->n_voigt; point++)
            tables->log_voigt[(size_t)plane * (size_t)view->n_voigt + (size_t)point] =
                log(hjerting(a, voigt_x(view, point)));
    }
    view->cdf = tables->cdf;
    view->log_voigt = tables->log_voigt;
    return LR_OK;
fail:
    tables_free(tables);
    return status;
}

void tables_free(struct tables *tables)
{
    free(tables->cdf);
    free(tables->log_voigt);
    *tables = (struct tables){0};
}
