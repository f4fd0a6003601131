/* Structures of the interface that grow: callers with an older or newer header than the library, and those that did not
 * set the size. Also the version, which is in the header and in CMakeLists.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/structure.h"

/* Yesterday's header, the library's, and tomorrow's. */
struct older {
    size_t size;
    int a;
};
struct known {
    size_t size;
    int a;
    double b;
};
struct newer {
    size_t size;
    int a;
    double b;
    double c;
};

static void test_init(void **state)
{
    struct known known;
    (void)state;
    memset(&known, 0xff, sizeof known);
    LR_INIT(known);
    assert_true(known.size == sizeof known && known.a == 0 && known.b == 0.0);
}

static void test_give(void **state)
{
    const struct known from = {0, 3, 4.0};
    struct {
        struct older older;
        char after[64];
    } small;
    struct newer newer;
    struct known known;
    (void)state;
    memset(&small, 0x55, sizeof small);
    LR_INIT(small.older);
    LR_INIT(newer);
    LR_INIT(known);
    structure_give(&from, sizeof from, &small.older);
    assert_true(small.older.a == 3 && small.older.size == sizeof small.older);
    for (size_t i = 0; i < sizeof small.after; i++) /* nothing is written beyond the structure of an older caller */
        assert_int_equal(small.after[i], 0x55);
    structure_give(&from, sizeof from, &newer);
    assert_true(newer.a == 3 && newer.b == 4.0 && newer.c == 0.0 && newer.size == sizeof newer);
    structure_give(&from, sizeof from, &known);
    assert_true(known.a == 3 && known.b == 4.0 && known.size == sizeof known);
}

static void test_take(void **state)
{
    lr_context *ctx = lr_context_create();
    const struct older older = {sizeof older, 3};
    const struct newer newer = {sizeof newer, 5, 6.0, 7.0};
    const struct known forgotten = {0, 5, 6.0};
    struct known known;
    (void)state;
    memset(&known, 0xff, sizeof known);
    assert_int_equal(structure_take(ctx, "known", &older, &known, sizeof known), LR_OK);
    assert_true(known.size == sizeof known && known.a == 3 && known.b == 0.0);
    assert_int_equal(structure_take(ctx, "known", &newer, &known, sizeof known), LR_OK);
    assert_true(known.size == sizeof known && known.a == 5 && known.b == 6.0);
    assert_int_equal(structure_take(ctx, "known", &forgotten, &known, sizeof known), LR_ERROR_INPUT);
    assert_string_equal(lr_last_error(ctx), "a struct known has no size; begin with LR_INIT()");
    lr_context_free(ctx);
}

static void test_version(void **state)
{
    char parts[64];
    (void)state;
    snprintf(parts, sizeof parts, "%d.%d.%d", LINERAD_VERSION_MAJOR, LINERAD_VERSION_MINOR, LINERAD_VERSION_PATCH);
    assert_string_equal(LINERAD_VERSION, parts);
    assert_string_equal(lr_version(), LINERAD_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_init), cmocka_unit_test(test_give),
                                       cmocka_unit_test(test_take), cmocka_unit_test(test_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
