#include "solve/common/velocity_gradient.h"

#include <math.h>

#include "base/constants.h"
#include "mesh/neighbour.h"
#include "solve/common/quadrature.h"

/* ---- shells ---- */

static double middle(const struct mesh *mesh, int i)
{
    return 0.5 * (mesh->edge[0][i] + mesh->edge[0][i + 1]);
}

/* In the frame of the radius, for radial v: dv/dr along it, v/r across. */
static void shell_gradient(const lr_model *model, int shell, double gradient[3][3])
{
    const struct mesh *mesh = &model->mesh;
    const struct field *v = &model->medium.velocity[0];
    const int below = shell > 0 ? shell - 1 : shell;
    const int above = shell + 1 < mesh->n[0] ? shell + 1 : shell;
    const double way = middle(mesh, above) - middle(mesh, below);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            gradient[i][j] = 0;
    gradient[0][0] = way > 0 ? (field_at(v, above) - field_at(v, below)) / way : 0;
    gradient[1][1] = gradient[2][2] = field_at(v, shell) / middle(mesh, shell);
}

/* ---- cells ---- */

struct place {
    double x[3], v[3];
};

/* Position and velocity on one side of a cell: the mean of its neighbours there, or its own if there are none. */
static struct place place_beside(const lr_model *model, const int at[3], int axis, int side)
{
    const struct mesh *mesh = &model->mesh;
    int64_t cell[MESH_MOST_NEIGHBOURS];
    double centre[MESH_MOST_NEIGHBOURS][3];
    struct place mean = {{0}, {0}};
    int n = mesh_neighbours(mesh, at, axis, side, cell, centre);
    if (n == 0) {
        n = 1;
        cell[0] = mesh_cell_index(mesh, at[0], at[1], at[2]);
        mesh_cell_centre(mesh, at, centre[0]);
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++) {
            mean.x[i] += centre[k][i] / n;
            mean.v[i] += field_at(&model->medium.velocity[i], cell[k]) / n;
        }
    return mean;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Between the positions on both sides of a cell, along each axis k, d_k . grad v = dv_k. If a neighbour is larger than
 * the cell, its centre is not directly behind the face, and d_k has components across the axis; the three equations
 * together are exact for any velocity that is linear in space. Scaled so that d_k is 1 along k:
 *
 *     grad v = SUM_k dv_k (d_k+1 x d_k+2) / (d_0 . (d_1 x d_2)).
 *
 * A mesh with one cell along an axis has no gradient along it. */
static void solve_gradient(double d[3][3], double dv[3][3], double gradient[3][3])
{
    const double least = 1e-3; /* of the determinant; it is 1 between equal cells */
    double normal[3][3], determinant = 0;
    for (int k = 0; k < 3; k++)
        cross(d[(k + 1) % 3], d[(k + 2) % 3], normal[k]);
    for (int i = 0; i < 3; i++)
        determinant += d[0][i] * normal[0][i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            gradient[i][j] = dv[j][i];
            if (fabs(determinant) < least)
                continue;
            gradient[i][j] = 0;
            for (int k = 0; k < 3; k++)
                gradient[i][j] += dv[k][i] * normal[k][j] / determinant;
        }
}

void velocity_gradient_tensor(const lr_model *model, const int at[3], double gradient[3][3])
{
    double d[3][3] = {{0}}, dv[3][3] = {{0}};
    if (model->mesh.kind == MESH_SHELLS) {
        shell_gradient(model, at[0], gradient);
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        const struct place below = place_beside(model, at, axis, -1), above = place_beside(model, at, axis, 1);
        const double way = above.x[axis] - below.x[axis];
        d[axis][axis] = 1;
        for (int i = 0; i < 3 && way > 0; i++) {
            d[axis][i] = (above.x[i] - below.x[i]) / way;
            dv[axis][i] = (above.v[i] - below.v[i]) / way;
        }
    }
    solve_gradient(d, dv, gradient);
}

void gradient_directions_make(struct gradient_directions *directions)
{
    struct quadrature rule;
    quadrature_make(N_GRADIENT_POLAR, &rule);
    for (int k = 0; k < N_GRADIENT_DIRECTION; k++) {
        const double z = rule.node[k / N_GRADIENT_AZIMUTH];
        const double azimuth = 2 * LR_PI * (k % N_GRADIENT_AZIMUTH + 0.5) / N_GRADIENT_AZIMUTH;
        const double n[3] = {sqrt(1 - z * z) * cos(azimuth), sqrt(1 - z * z) * sin(azimuth), z};
        directions->weight[k] = rule.weight[k / N_GRADIENT_AZIMUTH] / N_GRADIENT_AZIMUTH;
        for (int i = 0; i < 3; i++) {
            directions->product[k][i] = n[i] * n[i];
            directions->product[k][3 + i] = n[i] * n[(i + 1) % 3];
        }
    }
}

double velocity_gradient_mean(const struct gradient_directions *directions, double gradient[3][3])
{
    double form[6];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        form[i] = gradient[i][i];
        form[3 + i] = gradient[i][j] + gradient[j][i];
    }
    double sum = 0;
    for (int k = 0; k < N_GRADIENT_DIRECTION; k++) {
        double along = 0;
        for (int i = 0; i < 6; i++)
            along += form[i] * directions->product[k][i];
        sum += directions->weight[k] * fabs(along);
    }
    return sum;
}

double velocity_gradient_expanding(double mean, double gradient[3][3])
{
    const double signed_mean = (gradient[0][0] + gradient[1][1] + gradient[2][2]) / 3;
    return mean > 0 ? fmin(fmax(0.5 * (1 + signed_mean / mean), 0), 1) : 0.5;
}
