#include "solve/velocity_gradient.h"

#include <math.h>

#include "base/constants.h"
#include "solve/quadrature.h"

static double middle(const struct mesh *mesh, int axis, int i)
{
    return 0.5 * (mesh->edge[axis][i] + mesh->edge[axis][i + 1]);
}

/* The neighbour on one side and its coordinate; the cell itself where there is none. */
static double neighbour(const struct mesh *mesh, const int at[3], int axis, int side, int64_t *cell)
{
    int there[3] = {at[0], at[1], at[2]};
    const int n = mesh->n[axis];
    const bool periodic = mesh->face[2 * axis] == FACE_PERIODIC;
    double shift = 0;
    there[axis] += side;
    if (periodic && there[axis] < 0) {
        there[axis] = n - 1;
        shift = -mesh_size(mesh, axis);
    } else if (periodic && there[axis] >= n) {
        there[axis] = 0;
        shift = mesh_size(mesh, axis);
    } else if (there[axis] < 0 || there[axis] >= n) {
        there[axis] = at[axis];
    }
    *cell = mesh_cell_index(mesh, there[0], there[1], there[2]);
    return middle(mesh, axis, there[axis]) + shift;
}

/* In the frame of the radius, v being radial: dv/dr along it, v/r across. */
static void shell_gradient(const lr_model *model, int shell, double gradient[3][3])
{
    const struct mesh *mesh = &model->mesh;
    const struct field *v = &model->medium.velocity[0];
    const int below = shell > 0 ? shell - 1 : shell;
    const int above = shell + 1 < mesh->n[0] ? shell + 1 : shell;
    const double way = middle(mesh, 0, above) - middle(mesh, 0, below);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            gradient[i][j] = 0;
    gradient[0][0] = way > 0 ? (field_at(v, above) - field_at(v, below)) / way : 0;
    gradient[1][1] = gradient[2][2] = field_at(v, shell) / middle(mesh, 0, shell);
}

void velocity_gradient_tensor(const lr_model *model, const int at[3], double gradient[3][3])
{
    if (model->mesh.kind == MESH_SHELLS) {
        shell_gradient(model, at[0], gradient);
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        int64_t below;
        int64_t above;
        const double from = neighbour(&model->mesh, at, axis, -1, &below);
        const double to = neighbour(&model->mesh, at, axis, 1, &above);
        for (int i = 0; i < 3; i++) {
            const struct field *v = &model->medium.velocity[i];
            gradient[i][axis] = to > from ? (field_at(v, above) - field_at(v, below)) / (to - from) : 0;
        }
    }
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
