/* What a point sees of a box, against sums over small parts of it and exact values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/constants.h"
#include "solve/level_star.h"

/* INT dV / r^2 and INT dV / r^2 / (way through the box), the solid angle, of a box that is far from the point. */
static struct box_view by_points(const double low[3], const double high[3])
{
    enum { N = 40 };
    struct box_view sum = {0, 0};
    double step[3], volume = 1;
    for (int axis = 0; axis < 3; axis++) {
        step[axis] = (high[axis] - low[axis]) / N;
        volume *= step[axis];
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                const double r[3] = {low[0] + (i + 0.5) * step[0], low[1] + (j + 0.5) * step[1],
                                     low[2] + (k + 0.5) * step[2]};
                const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
                double in = 0, out = HUGE_VAL; /* of the line t r */
                for (int axis = 0; axis < 3; axis++) {
                    const double a = low[axis] / r[axis], b = high[axis] / r[axis];
                    in = fmax(in, fmin(a, b));
                    out = fmin(out, fmax(a, b));
                }
                sum.inverse_square += volume / square;
                sum.solid_angle += volume / square / ((out - in) * sqrt(square));
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
        const struct box_view expected = by_points(boxes[i][0], boxes[i][1]);
        assert_true(fabs(found.inverse_square / expected.inverse_square - 1) < 1e-3);
        assert_true(fabs(found.solid_angle / expected.solid_angle - 1) < 1e-2);
    }
}

/* Inside, on a face, on an edge and in a corner: 4 pi and what symmetry leaves of it. */
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

/* A box is the sum of its parts, however thin the one is that the point lies in. */
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
