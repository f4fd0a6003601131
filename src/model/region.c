#include "model/region.h"

#include <math.h>

enum { SUBSAMPLE = 8 };

bool region_contains(const struct region *region, const double point[3])
{
    double r2 = 0.0;
    for (int d = 0; d < 3; d++) {
        if (region->kind == REGION_BOX && !(point[d] >= region->low[d] && point[d] <= region->high[d]))
            return false;
        double offset = point[d] - region->centre[d];
        r2 += offset * offset;
    }
    return region->kind == REGION_BOX || (r2 >= region->inner * region->inner && r2 <= region->outer * region->outer);
}

static double box_fraction(const struct region *box, const double low[3], const double high[3])
{
    double fraction = 1.0;
    for (int d = 0; d < 3; d++) {
        double overlap = fmin(high[d], box->high[d]) - fmax(low[d], box->low[d]);
        if (overlap <= 0.0)
            return 0.0;
        fraction *= fmin(overlap / (high[d] - low[d]), 1.0);
    }
    return fraction;
}

/* Squared distances from the centre of the shell to the nearest and farthest point of a cell. */
static void distances(const struct region *shell, const double low[3], const double high[3], double *nearest,
                      double *farthest)
{
    *nearest = *farthest = 0.0;
    for (int d = 0; d < 3; d++) {
        double below = shell->centre[d] - low[d], above = high[d] - shell->centre[d];
        double far = fmax(fabs(below), fabs(above));
        double near = below < 0.0 ? -below : above < 0.0 ? -above : 0.0;
        *nearest += near * near;
        *farthest += far * far;
    }
}

static double sampled_fraction(const struct region *region, const double low[3], const double high[3])
{
    int inside = 0;
    for (int s = 0; s < SUBSAMPLE * SUBSAMPLE * SUBSAMPLE; s++) {
        const int index[3] = {s / (SUBSAMPLE * SUBSAMPLE), s / SUBSAMPLE % SUBSAMPLE, s % SUBSAMPLE};
        double point[3];
        for (int d = 0; d < 3; d++)
            point[d] = low[d] + (high[d] - low[d]) * (index[d] + 0.5) / SUBSAMPLE;
        inside += region_contains(region, point);
    }
    return (double)inside / (SUBSAMPLE * SUBSAMPLE * SUBSAMPLE);
}

double region_fraction(const struct region *region, const double low[3], const double high[3])
{
    if (region->kind == REGION_BOX)
        return box_fraction(region, low, high);
    double nearest, farthest;
    distances(region, low, high, &nearest, &farthest);
    double inner2 = region->inner * region->inner, outer2 = region->outer * region->outer;
    if (nearest >= outer2 || farthest <= inner2)
        return 0.0;
    if (farthest <= outer2 && nearest >= inner2)
        return 1.0;
    return sampled_fraction(region, low, high);
}

/* Distances to the points of a cell fill the whole range between the nearest and the farthest. */
bool region_overlaps(const struct region *region, const double low[3], const double high[3])
{
    double nearest, farthest;
    if (region->kind == REGION_BOX)
        return box_fraction(region, low, high) > 0.0;
    distances(region, low, high, &nearest, &farthest);
    return nearest < region->outer * region->outer && farthest > region->inner * region->inner;
}

static double share_of_cell(const struct region *region, bool extensive, const double low[3], const double high[3])
{
    if (extensive)
        return region_fraction(region, low, high);
    const double middle[3] = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])};
    return region_contains(region, middle) ? 1.0 : 0.0;
}

static void paint_cell(double share, double value, double *cell)
{
    if (share == 1.0)
        *cell = value;
    else if (share > 0.0)
        *cell += share * (value - *cell);
}

/* A shell about the origin on a mesh of shells: volume fractions are exact. */
static void paint_shells(const struct region *region, const struct mesh *mesh, bool extensive, double value,
                         double *values)
{
    for (int i = 0; i < mesh->n[0]; i++) {
        const double low = mesh->edge[0][i], high = mesh->edge[0][i + 1], middle = 0.5 * (low + high);
        const double from = fmax(low, region->inner), to = fmin(high, region->outer);
        double share = middle >= region->inner && middle <= region->outer ? 1.0 : 0.0;
        if (extensive)
            share = from >= to                  ? 0.0
                    : from == low && to == high ? 1.0
                                                : (to - from) * (to * to + to * from + from * from) /
                                                      ((high - low) * (high * high + high * low + low * low));
        paint_cell(share, value, &values[i]);
    }
}

static void paint_box(const struct region *region, const struct mesh *mesh, bool extensive, double value,
                      const int at[3], double *values)
{
    double low[3], high[3];
    mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
    const double share = share_of_cell(region, extensive, low, high);
    paint_cell(share, value, &values[mesh_cell_index(mesh, at[0], at[1], at[2])]);
}

void region_paint(const struct region *region, const struct mesh *mesh, bool extensive, double value, double *values)
{
    if (mesh->kind == MESH_SHELLS) {
        paint_shells(region, mesh, extensive, value, values);
        return;
    }
    int first[3] = {0, 0, 0}, last[3] = {mesh->n[0] - 1, mesh->n[1] - 1, mesh->n[2] - 1}, at[3];
    for (int d = 0; d < 3 && mesh->kind == MESH_CARTESIAN; d++) {
        bool box = region->kind == REGION_BOX;
        first[d] = mesh_find_cell(mesh, d, box ? region->low[d] : region->centre[d] - region->outer);
        last[d] = mesh_find_cell(mesh, d, box ? region->high[d] : region->centre[d] + region->outer);
    }
    for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
                paint_box(region, mesh, extensive, value, at, values);
}
