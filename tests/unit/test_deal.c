/* Chunks of packets for devices: every packet once, however many devices take them, and smaller ones toward the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "backend/todo.h"
#include "base/context.h"
#include "solve/team/deal.h"

static int64_t board[N_BOARD_SLOT];

static int64_t board_add(struct communicator *team, enum board_slot slot, int64_t value)
{
    (void)team;
    const int64_t before = board[slot];
    board[slot] += value;
    return before;
}

static struct deal make(lr_context *ctx, int parts, int64_t devices, int64_t least)
{
    static const struct packet_range ranges[] = {{5, 6}, {10, 1000}, {1000, 1003}, {2000, 6000}};
    struct transport_todo all = {.n_range = 4, .range = malloc(sizeof ranges)};
    struct deal deal;
    for (int r = 0; r < 4; r++)
        all.range[r] = ranges[r];
    board[BOARD_CHUNK] = 17; /* of an earlier list */
    assert_int_equal(deal_make(ctx, &all, parts, devices, least, 17, &deal), LR_OK);
    return deal;
}

static int64_t sum_of_numbers(const struct transport_todo *todo)
{
    int64_t sum = 0;
    for (int r = 0; r < todo->n_range; r++)
        for (int64_t id = todo->range[r].first; id < todo->range[r].end; id++)
            sum += id;
    return sum;
}

enum { N_PACKET = 1 + 990 + 3 + 4000 };
/* of arithmetic series */
static const int64_t SUM = 5 + (10 + 999) * 990 / 2 + 3 * 1001 + (2000 + 5999) * 2000LL;

static void test_every_packet_is_dealt_once(void **state)
{
    (void)state;
    struct communicator team = {.size = 3, .board_add = board_add};
    lr_context *ctx = lr_context_create();
    ctx->team = &team;
    struct deal deal = make(ctx, 4, 3, 8);
    struct transport_todo taken = {.range = calloc((size_t)deal_most_ranges(&deal), sizeof *taken.range)};
    int64_t n, total = 0, last = N_PACKET;
    while ((n = deal_take(&deal, &taken)) > 0) {
        assert_true(n <= last && (n >= 8 || total + n == N_PACKET));
        if (total == 0)
            assert_int_equal(n, N_PACKET / 12);
        last = n;
        total += n;
    }
    assert_int_equal(total, N_PACKET);
    assert_true(taken.n_range <= deal_most_ranges(&deal));
    assert_int_equal(todo_numbers(&taken), N_PACKET);
    assert_int_equal(sum_of_numbers(&taken), SUM);
    todo_tidy(&taken);
    assert_int_equal(taken.n_range, 3); /* two of the ranges touch */
    assert_int_equal(taken.range[1].end, 1003);
    ctx->team = NULL;
    todo_free(&taken);
    deal_free(&deal);
    lr_context_free(ctx);
}

static void test_what_nobody_takes_is_returned(void **state)
{
    (void)state;
    struct communicator team = {.size = 2, .board_add = board_add};
    lr_context *ctx = lr_context_create();
    ctx->team = &team;
    struct deal deal = make(ctx, 2, 2, 100);
    struct transport_todo list = {.range = calloc((size_t)deal_most_ranges(&deal), sizeof *list.range)};
    assert_int_equal(deal_take(&deal, &list), N_PACKET / 4);
    deal_return(&deal, &list);
    assert_int_equal(todo_numbers(&list), N_PACKET);
    assert_int_equal(sum_of_numbers(&list), SUM);
    ctx->team = NULL;
    todo_free(&list);
    deal_free(&deal);
    lr_context_free(ctx);
}

/* No board is needed for the devices of one process, and each has a chunk even if that is a small one. */
static void test_threads_of_one_process(void **state)
{
    enum { DEVICES = 5 };
    (void)state;
    lr_context *ctx = lr_context_create();
    struct deal deal = make(ctx, 2, DEVICES, 1 << 18);
    struct transport_todo taken[DEVICES] = {0};
    int64_t total = 0, sum = 0, n[DEVICES] = {0};
    for (int d = 0; d < DEVICES; d++)
        taken[d].range = calloc((size_t)deal_most_ranges(&deal), sizeof *taken[d].range);
#pragma omp parallel for schedule(static, 1) num_threads(DEVICES)
    for (int d = 0; d < DEVICES; d++)
        n[d] = deal_take(&deal, &taken[d]);
    for (int d = 0; d < DEVICES; d++) {
        assert_true(n[d] > 0 && n[d] <= (N_PACKET + DEVICES - 1) / DEVICES);
        total += n[d];
        sum += sum_of_numbers(&taken[d]);
        todo_free(&taken[d]);
    }
    assert_int_equal(total, N_PACKET);
    assert_int_equal(sum, SUM);
    deal_free(&deal);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_packet_is_dealt_once),
                                       cmocka_unit_test(test_what_nobody_takes_is_returned),
                                       cmocka_unit_test(test_threads_of_one_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
