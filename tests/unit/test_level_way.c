/* level_way.h: what lies between the centres of two cells. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/level_way.h"

static const struct visit SLOW = {.cell = 0, .has_gas = 1, .length = R(1), .v = R(1), .inv_b = R(1)};
static const struct visit FAST = {.cell = 1, .has_gas = 1, .length = R(3), .v = R(3), .inv_b = R(1)};
static const struct visit SAME = {.cell = 1, .has_gas = 1, .length = R(3), .v = R(1.2), .inv_b = R(1)};
static const struct visit EMPTY = {.cell = 1, .has_gas = 0, .length = R(3), .v = R(3), .inv_b = R(1)};

/* Velocities are interpolated if they change much, and never next to empty cells. */
static void velocities_on_faces(void **state)
{
    (void)state;
    const struct visit none = visit_none();
    const struct face glide = face_between(&SLOW, &FAST);
    assert_true(glide.glides && fabs((double)glide.v_last - 1.5) < 1e-6 && glide.v_here == glide.v_last);
    const struct face step = face_between(&SLOW, &SAME);
    assert_true(!step.glides && step.v_last == R(1) && step.v_here == R(1.2));
    const struct face edge = face_between(&SLOW, &EMPTY);
    assert_true(!edge.glides && edge.v_last == R(1) && edge.v_here == R(3));
    assert_true(face_between(&none, &FAST).v_here == R(3));
}

/* On the face, S of the nearer cell centre has the larger weight; the same from both sides. */
static void shares_on_faces(void **state)
{
    (void)state;
    const struct face face = face_between(&SLOW, &SAME);
    assert_true(face.share_last == R(0.25) && face.share_here == R(0.75));
    const struct face edge = face_between(&SLOW, &EMPTY);
    assert_true(edge.share_last == R(0) && edge.share_here == R(0));
}

static void pieces_meet_on_the_face(void **state)
{
    (void)state;
    const struct visit none = visit_none();
    const struct face face = face_between(&SLOW, &FAST);
    const struct piece before = piece_to_face(&SLOW, &FAST, &face);
    const struct piece after = piece_from_face(&SLOW, &FAST, &face, visit_weight(&FAST, R(2)));
    assert_true(before.cell == 0 && before.other == 1 && after.cell == 1 && after.other == 0);
    assert_true(before.length == R(0.5) && after.length == R(1.5));
    assert_true(before.u0 == R(0) && before.u1 == R(1) - after.u0 && after.u1 == R(0));
    assert_true(before.v0 == SLOW.v && before.v1 == after.v0 && after.v1 == FAST.v);
    assert_true(before.weight == R(0) && after.weight == R(6));
    assert_true(visit_weight(&EMPTY, R(2)) == R(0));
    const struct face open = face_between(&none, &FAST);
    const struct piece first = piece_from_face(&none, &FAST, &open, R(1));
    assert_true(first.other == 1 && first.u0 == R(0) && first.v0 == FAST.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_on_faces),
        cmocka_unit_test(shares_on_faces),
        cmocka_unit_test(pieces_meet_on_the_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
