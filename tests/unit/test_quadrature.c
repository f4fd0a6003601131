/* quadrature.c: Gauss-Legendre rules integrate polynomials up to degree 2 n - 1; known nodes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solve/common/quadrature.h"

static void test_rules_integrate_polynomials(void **state)
{
    (void)state;
    for (int n = 1; n <= QUADRATURE_MOST; n++) {
        struct quadrature rule;
        quadrature_make(n, &rule);
        assert_int_equal(rule.n, n);
        for (int degree = 0; degree < 2 * n; degree++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += rule.weight[i] * pow(rule.node[i], degree);
            assert_true(fabs(sum - 1.0 / (degree + 1)) < 1e-14);
        }
        double next = 0; /* and no further */
        for (int i = 0; i < n; i++)
            next += rule.weight[i] * pow(rule.node[i], 2 * n);
        if (n <= 8)
            assert_true(fabs(next - 1.0 / (2 * n + 1)) > 1e-12);
    }
}

static void test_nodes_lie_inside_in_order(void **state)
{
    (void)state;
    for (int n = 1; n <= QUADRATURE_MOST; n++) {
        struct quadrature rule;
        quadrature_make(n, &rule);
        for (int i = 0; i < n; i++) {
            assert_true(rule.node[i] > (i ? rule.node[i - 1] : 0) && rule.node[i] < 1);
            assert_true(rule.weight[i] > 0);
            assert_true(fabs(rule.node[i] + rule.node[n - 1 - i] - 1) < 1e-15);
        }
    }
}

static void test_known_rules(void **state)
{
    (void)state;
    struct quadrature rule;
    quadrature_make(1, &rule);
    assert_true(fabs(rule.node[0] - 0.5) < 1e-16 && rule.weight[0] == 1); /* the middle alone */
    quadrature_make(2, &rule);
    assert_true(fabs(rule.node[1] - (0.5 + 0.5 / sqrt(3.0))) < 1e-15 && fabs(rule.weight[0] - 0.5) < 1e-15);
    quadrature_make(3, &rule);
    assert_true(fabs(rule.node[2] - (0.5 + 0.5 * sqrt(0.6))) < 1e-15 && fabs(rule.weight[1] - 4.0 / 9) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_integrate_polynomials),
        cmocka_unit_test(test_nodes_lie_inside_in_order),
        cmocka_unit_test(test_known_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
