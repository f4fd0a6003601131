#include "solve/imaging/rings.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/threads.h"
#include "model/camera.h"

/* ---- rings ------------------------------------------------------------------------------------------------------ */

/* At least this many across a shell, and across a pixel. */
static const double PER_SHELL = 4;
static const double PER_PIXEL = 4;

/* How fine the rings are. */
struct fineness {
    double pixel, speed;
    double finer;
};

/* Edges of rings in the shadow of a sphere of radius `high`, from `low` on: equally spaced in p, and also in z =
 * sqrt(high^2 - p^2), so that the velocity toward the observer of gas at that radius, v z / high, changes by at most
 * one Doppler parameter from ring to ring. Returns the number of edges after `low`; `edge` may be NULL. */
static int divide_shadow(double low, double high, const struct fineness *fineness, double *edge)
{
    const double half = sqrt((high - low) * (high + low));
    const double by_pixel = (high - low) * PER_PIXEL / fineness->pixel;
    const int n_p = (int)fmin(ceil(fineness->finer * fmax(PER_SHELL, by_pixel)), 1e6);
    const int n_z = (int)fmin(ceil(fineness->finer * fineness->speed * half / high), 1e6);
    int n = 0;
    int j = 1;
    double last = low;
    for (int i = 1; i <= n_p;) {
        const double p = i == n_p ? high : low + (high - low) * i / n_p;
        const double z = half * (1 - (double)j / n_z);
        const double q = j < n_z ? sqrt((high - z) * (high + z)) : high;
        const bool first = p <= q;
        const double next = first ? p : q;
        i += first;
        j += !first;
        if (next - last < 1e-6 * (high - low) && next < high)
            continue;
        if (edge)
            edge[n] = next;
        last = next;
        n++;
    }
    return n;
}

/* The mean over a ring p0 < p < p1 in the shadow of a sphere of radius r, where I is smooth in z = sqrt(r^2 - p^2):
 *
 *     INT I p dp = INT I z dz,    two Gauss-Legendre nodes in z: exact if I is a parabola in z. */
static void place_rays(double p0, double p1, double r, double *impact, double *weight)
{
    const double from = sqrt(fmax((r - p1) * (r + p1), 0));
    const double to = sqrt(fmax((r - p0) * (r + p0), 0));
    const double node = 0.5 / sqrt(3.0);
    double sum = 0;
    for (int k = 0; k < RING_NODES; k++) {
        const double z = 0.5 * (from + to) + (k ? node : -node) * (to - from);
        impact[k] = sqrt(fmax((r - z) * (r + z), 0));
        weight[k] = z;
        sum += z;
    }
    for (int k = 0; k < RING_NODES; k++)
        weight[k] /= sum;
}

enum lr_status rings_make(lr_context *ctx, const struct mesh *mesh, double speed, const struct camera *view,
                          struct rings *rings)
{
    const struct fineness fineness = {camera_pixel_size(view), speed, view->rays > 0 ? view->rays : 1};
    const double *radius = mesh->edge[0];
    const int cavity = radius[0] > 0;
    int n = cavity ? divide_shadow(0, radius[0], &fineness, NULL) : 0;
    for (int i = 0; i < mesh->n[0]; i++)
        n += divide_shadow(radius[i], radius[i + 1], &fineness, NULL);
    rings->n_row = (n * RING_NODES + RAYS_PER_ROW - 1) / RAYS_PER_ROW;
    const size_t n_ray = (size_t)rings->n_row * RAYS_PER_ROW;
    LR_TRY(lr_allocate(ctx, (size_t)n + 1, sizeof(double), &rings->edge));
    LR_TRY(lr_allocate(ctx, n_ray, sizeof(double), &rings->impact));
    LR_TRY(lr_allocate(ctx, (size_t)n * RING_NODES, sizeof(double), &rings->weight));
    for (int i = -cavity; i < mesh->n[0]; i++) {
        const double low = i < 0 ? 0 : radius[i];
        const double high = radius[i + 1];
        const int end = rings->n + divide_shadow(low, high, &fineness, &rings->edge[rings->n + 1]);
        for (; rings->n < end; rings->n++)
            place_rays(rings->edge[rings->n], rings->edge[rings->n + 1], high, &rings->impact[rings->n * RING_NODES],
                       &rings->weight[rings->n * RING_NODES]);
    }
    for (size_t i = (size_t)n * RING_NODES; i < n_ray; i++)
        rings->impact[i] = 2 * radius[mesh->n[0]];
    return LR_OK;
}

void rings_free(struct rings *rings)
{
    free(rings->edge);
    free(rings->impact);
    free(rings->weight);
}

/* ---- areas ------------------------------------------------------------------------------------------------------ */

/* INT dA and INT r dA. */
struct moments {
    double area, radius;
};

/* Over the part of the triangle with corners (0, 0), (x, 0), (x, y) that is within r < p:
 *
 *     INT rmax^2 / 2 dphi and INT rmax^3 / 3 dphi,   rmax = min(x / cos(phi), p). */
static struct moments triangle_moments(double x, double y, double p)
{
    const double whole = atan2(y, x);
    const double straight = p >= hypot(x, y) ? whole : p > x ? acos(x / p) : 0;
    const double tangent = straight == whole ? y / x : tan(straight);
    const double secant = sqrt(1 + tangent * tangent);
    const double arc = whole - straight;
    return (struct moments){0.5 * x * x * tangent + 0.5 * p * p * arc,
                            x * x * x / 6 * (secant * tangent + asinh(tangent)) + p * p * p / 3 * arc};
}

/* Over the rectangle between the origin and (x, y), with the sign of x y. */
static struct moments corner_moments(double x, double y, double p)
{
    const double sign = (x < 0) == (y < 0) ? 1 : -1;
    const double u = fabs(x);
    const double v = fabs(y);
    if (u == 0 || v == 0)
        return (struct moments){0, 0};
    const struct moments one = triangle_moments(u, v, p);
    const struct moments other = triangle_moments(v, u, p);
    return (struct moments){sign * (one.area + other.area), sign * (one.radius + other.radius)};
}

struct square {
    double x, y, size; /* lower left corner, from the centre of the rings */
};

static struct moments square_moments(const struct square *s, double p)
{
    const struct moments a = corner_moments(s->x + s->size, s->y + s->size, p);
    const struct moments b = corner_moments(s->x, s->y + s->size, p);
    const struct moments c = corner_moments(s->x + s->size, s->y, p);
    const struct moments d = corner_moments(s->x, s->y, p);
    return (struct moments){a.area - b.area - c.area + d.area, a.radius - b.radius - c.radius + d.radius};
}

static double nearest(const struct square *s)
{
    const double x = s->x > 0 ? s->x : s->x + s->size < 0 ? s->x + s->size : 0;
    const double y = s->y > 0 ? s->y : s->y + s->size < 0 ? s->y + s->size : 0;
    return hypot(x, y);
}

static double farthest(const struct square *s)
{
    return hypot(fmax(fabs(s->x), fabs(s->x + s->size)), fmax(fabs(s->y), fabs(s->y + s->size)));
}

/* ---- pixels ----------------------------------------------------------------------------------------------------- */

/* Means over the rings and their slopes in p, with van Leer's limiter: [n_ring][n_plane]. */
struct profile {
    double *middle; /* [n_ring] mean p of a ring */
    double *mean, *slope;
};

static void make_profile(const struct rings *rings, int n_plane, const float *rays, struct profile *profile)
{
    const size_t n = (size_t)n_plane;
    const size_t n_ray = (size_t)rings->n_row * RAYS_PER_ROW;
    for (int j = 0; j < rings->n; j++) {
        const double p0 = rings->edge[j];
        const double p1 = rings->edge[j + 1];
        profile->middle[j] = 2.0 / 3.0 * (p0 * p0 + p0 * p1 + p1 * p1) / (p0 + p1);
        for (size_t c = 0; c < n; c++)
            for (int k = 0; k < RING_NODES; k++)
                profile->mean[(size_t)j * n + c] +=
                    rings->weight[j * RING_NODES + k] * (double)rays[c * n_ray + (size_t)(j * RING_NODES + k)];
    }
    for (int j = 1; j + 1 < rings->n; j++)
        for (size_t c = 0; c < n; c++) {
            const double *at = &profile->mean[(size_t)j * n + c];
            const double below = (at[0] - at[-(ptrdiff_t)n]) / (profile->middle[j] - profile->middle[j - 1]);
            const double above = (at[n] - at[0]) / (profile->middle[j + 1] - profile->middle[j]);
            profile->slope[(size_t)j * n + c] = below * above > 0 ? 2 * below * above / (below + above) : 0;
        }
}

static int first_ring(const struct rings *rings, double p)
{
    int low = 0;
    int high = rings->n;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (rings->edge[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Sums over the rings that overlap a pixel; `sum` has n_plane values. */
static void sum_pixel(const struct rings *rings, const struct profile *profile, const struct square *square,
                      int n_plane, const double *beyond, double *sum)
{
    const double outermost = rings->edge[rings->n];
    const double area = square->size * square->size;
    const double last = farthest(square);
    double covered = 0;
    memset(sum, 0, (size_t)n_plane * sizeof *sum);
    if (nearest(square) < outermost) {
        int j = first_ring(rings, nearest(square));
        struct moments inner = square_moments(square, rings->edge[j]);
        for (; j < rings->n && rings->edge[j] < last; j++) {
            const struct moments outer = square_moments(square, rings->edge[j + 1]);
            const double share = (outer.area - inner.area) / area;
            const double lean = (outer.radius - inner.radius) / area - profile->middle[j] * share;
            const double *mean = &profile->mean[(size_t)j * (size_t)n_plane];
            const double *slope = &profile->slope[(size_t)j * (size_t)n_plane];
            for (int c = 0; c < n_plane; c++)
                sum[c] += mean[c] * share + slope[c] * lean;
            covered += share;
            inner = outer;
        }
    }
    for (int c = 0; c < n_plane; c++)
        sum[c] += beyond[c] * fmax(1 - covered, 0);
}

static void fill_row(const struct rings *rings, const struct camera *view, const struct profile *profile, int y,
                     int n_plane, const double *beyond, double *sum, float *pixels)
{
    const double pixel = camera_pixel_size(view);
    const size_t plane = (size_t)view->pixels[0] * (size_t)view->pixels[1];
    double centre[2] = {0, 0}; /* of the rings, in the image */
    for (int axis = 0; axis < 3; axis++) {
        centre[0] -= view->centre[axis] * view->right[axis];
        centre[1] -= view->centre[axis] * view->up[axis];
    }
    for (int x = 0; x < view->pixels[0]; x++) {
        const struct square square = {(x - 0.5 * view->pixels[0]) * pixel - centre[0],
                                      (y - 0.5 * view->pixels[1]) * pixel - centre[1], pixel};
        sum_pixel(rings, profile, &square, n_plane, beyond, sum);
        for (int c = 0; c < n_plane; c++)
            pixels[(size_t)c * plane + (size_t)y * (size_t)view->pixels[0] + (size_t)x] = (float)sum[c];
    }
}

enum lr_status rings_to_pixels(lr_context *ctx, const struct rings *rings, const struct camera *view, int threads,
                               int n_plane, const float *rays, const double *beyond, float *pixels)
{
    struct profile profile = {NULL, NULL, NULL};
    double *sums = NULL;
    enum lr_status status = LR_OK;
    const size_t n = (size_t)rings->n * (size_t)n_plane;
    const int workers = thread_count(threads);
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)rings->n, sizeof(double), &profile.middle));
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof(double), &profile.mean));
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof(double), &profile.slope));
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)workers * (size_t)n_plane, sizeof(double), &sums));
    make_profile(rings, n_plane, rays, &profile);
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (int y = 0; y < view->pixels[1]; y++)
        fill_row(rings, view, &profile, y, n_plane, beyond, sums + (size_t)omp_get_thread_num() * (size_t)n_plane,
                 pixels);
done:
    free(profile.middle);
    free(profile.mean);
    free(profile.slope);
    free(sums);
    return status;
}
