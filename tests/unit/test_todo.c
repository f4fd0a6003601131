/* Lists of packets to be done: numbers, parts, and what has begun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "backend/todo.h"
#include "base/context.h"
#include "model/share.h"
#include "solve/transport/todo_ranges.h"

static void numbers_run_through_all_ranges(void **state)
{
    (void)state;
    struct packet_range range[] = {{3, 5}, {10, 11}, {20, 24}};
    const struct transport_todo todo = {.n_range = 3, .range = range};
    const int64_t expected[] = {3, 4, 10, 20, 21, 22, 23};
    assert_int_equal(todo_numbers(&todo), 7);
    for (int64_t k = 0; k < 7; k++)
        assert_int_equal(todo_number(&todo, k), expected[k]);
}

static void a_part_has_the_same_numbers(void **state)
{
    (void)state;
    struct packet_range range[] = {{3, 5}, {10, 11}, {20, 24}}, room[8];
    const struct transport_todo todo = {.n_range = 3, .range = range};
    for (int64_t first = 0; first <= 7; first++)
        for (int64_t end = first; end <= 7; end++) {
            struct transport_todo part = {.range = room};
            todo_add_part(&todo, first, end, &part);
            assert_int_equal(todo_numbers(&part), end - first);
            for (int64_t k = first; k < end; k++)
                assert_int_equal(todo_number(&part, k - first), todo_number(&todo, k));
        }
}

static void begun_and_to_do_are_all(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct packet_range range[] = {{3, 5}, {10, 11}, {20, 24}};
    const struct transport_todo todo = {.n_range = 3, .range = range};
    struct transport_todo begun = {0};
    assert_non_null(ctx);
    assert_int_equal(todo_begun(ctx, (struct packet_range){0, 24}, &todo, &begun), LR_OK);
    assert_int_equal(begun.n_range, 3);
    assert_int_equal(todo_numbers(&begun), 24 - 7);
    for (int64_t k = 0; k < todo_numbers(&begun); k++)
        for (int64_t l = 0; l < 7; l++)
            assert_int_not_equal(todo_number(&begun, k), todo_number(&todo, l));
    todo_free(&begun);
    lr_context_free(ctx);
}

static void shares_are_disjoint_and_complete(void **state)
{
    (void)state;
    const int64_t numbers[] = {1, 7, 1000, 9999999999999};
    for (int i = 0; i < 4; i++)
        for (int parts = 1; parts <= 11; parts++) {
            assert_int_equal(share_before(numbers[i], 1, parts), 0);
            assert_int_equal(share_before(numbers[i], parts + 1, parts), numbers[i]);
            for (int part = 1; part <= parts; part++) {
                const int64_t n = share_before(numbers[i], part + 1, parts) - share_before(numbers[i], part, parts);
                assert_true(n >= numbers[i] / parts && n <= numbers[i] / parts + 1);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_run_through_all_ranges),
        cmocka_unit_test(a_part_has_the_same_numbers),
        cmocka_unit_test(begun_and_to_do_are_all),
        cmocka_unit_test(shares_are_disjoint_and_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
