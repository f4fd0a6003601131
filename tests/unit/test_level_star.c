/* A box as seen from a point, against sums over small parts of it and exact values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/constants.h"
#include "solve/levels/level_star.h"

enum { N = 60 };

/* INT dV / r^2 of a box that is not too close. */
static double volume_sum(const double low[3], const double high[3])
{
    double step[3], sum = 0;
    for (int axis = 0; axis < 3; axis++)
        step[axis] = (high[axis] - low[axis]) / N;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                sum += step[0] * step[1] * step[2] /
                       (pow(low[0] + (i + 0.5) * step[0], 2) + pow(low[1] + (j + 0.5) * step[1], 2) +
                        pow(low[2] + (k + 0.5) * step[2], 2));
    return sum;
}

/* Its solid angle: half of INT |cos| dA / r^2 over all faces, since light enters and leaves. */
static double surface_sum(const double low[3], const double high[3])
{
    double sum = 0;
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, a = (axis + 1) % 3, b = (axis + 2) % 3;
        const double d = face % 2 ? high[axis] : low[axis];
        const double da = (high[a] - low[a]) / N, db = (high[b] - low[b]) / N;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                sum += 0.5 * fabs(d) * da * db /
                       pow(d * d + pow(low[a] + (i + 0.5) * da, 2) + pow(low[b] + (j + 0.5) * db, 2), 1.5);
    }
    return sum;
}

static void boxes_far_away(void **state)
{
    (void)state;
    const double boxes[3][2][3] = {
        {{1, 2, 3}, {2, 3, 5}}, {{-3, -0.7, 0.5}, {-1, 0.8, 1.5}}, {{20, -30, 0.5}, {20.1, -29.8, 1}}};
    for (int i = 0; i < 3; i++) {
        const struct box_view found = level_star_box(boxes[i][0], boxes[i][1]);
        assert_true(fabs(found.inverse_square / volume_sum(boxes[i][0], boxes[i][1]) - 1) < 1e-3);
        assert_true(fabs(found.solid_angle / surface_sum(boxes[i][0], boxes[i][1]) - 1) < 1e-3);
    }
}

/* Inside, on a face, on an edge and in a corner: 4 pi, or the fraction left by symmetry. */
static void points_in_the_box(void **state)
{
    (void)state;
    const double whole = level_star_box((double[3]){-1, -1, -1}, (double[3]){1, 1, 1}).inverse_square;
    for (int halved = 0; halved <= 3; halved++) {
        double low[3];
        for (int axis = 0; axis < 3; axis++)
            low[axis] = axis < halved ? 0 : -1;
        const struct box_view found = level_star_box(low, (double[3]){1, 1, 1});
        const double share = pow(0.5, halved);
        assert_true(fabs(found.solid_angle - 4 * LR_PI * share) < 1e-12);
        assert_true(fabs(found.inverse_square / (whole * share) - 1) < 1e-10);
    }
}

/* A box is the sum of its parts, however thin the part that contains the point. */
static void parts_add_up(void **state)
{
    (void)state;
    const double cuts[] = {1e-9, 1e-4, 0.1, 0.9};
    const struct box_view whole = level_star_box((double[3]){-0.3, -0.5, -1}, (double[3]){1, 2, 0.1});
    for (int i = 0; i < 4; i++) {
        const struct box_view a = level_star_box((double[3]){-0.3, -0.5, -1}, (double[3]){cuts[i], 2, 0.1});
        const struct box_view b = level_star_box((double[3]){cuts[i], -0.5, -1}, (double[3]){1, 2, 0.1});
        assert_true(fabs((a.inverse_square + b.inverse_square) / whole.inverse_square - 1) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_far_away),
        cmocka_unit_test(points_in_the_box),
        cmocka_unit_test(parts_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
