/* Names of devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/device_list.h"

static void test_lists_of_numbers(void **state)
{
    static const struct {
        const char *name, *numbers;
        int n;
    } cases[] = {{"cuda:0", "0", 1}, {"cuda:12", "12", 1}, {"cuda:0,1", "0,1", 2}, {"cuda:3,0,3", "3,0,3", 3}};
    struct device_list list;
    char text[DEVICE_NAME_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(device_list_read(cases[i].name, &list));
        assert_true(list.named && !list.all);
        assert_int_equal(list.n, cases[i].n);
        device_list_write(&list, text);
        assert_string_equal(text, cases[i].numbers);
    }
}

static void test_any_and_all(void **state)
{
    struct device_list list;
    (void)state;
    assert_true(device_list_read("cuda", &list) && !list.named && !list.all);
    assert_true(device_list_read("cuda:all", &list) && !list.named && list.all);
}

static void test_what_is_no_name_of_a_gpu(void **state)
{
    static const char *const names[] = {"",          "cpu",       "auto",    "cuda:",     "cuda:x",
                                        "cuda:,",    "cuda:0,",   "cuda:,0", "cuda:0,,1", "cuda:-1",
                                        "cuda:0 ,1", "cuda:1000", "cuda:al", "cuda0"};
    struct device_list list;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(device_list_read(names[i], &list));
}

static void test_too_many(void **state)
{
    char name[4 * MOST_DEVICES + 16] = "cuda:0";
    struct device_list list;
    (void)state;
    size_t end = 6;
    for (int i = 1; i < MOST_DEVICES; i++, end += 2) {
        name[end] = ',';
        name[end + 1] = '1';
    }
    assert_true(device_list_read(name, &list) && list.n == MOST_DEVICES);
    name[end] = ',';
    name[end + 1] = '1';
    assert_false(device_list_read(name, &list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists_of_numbers), cmocka_unit_test(test_any_and_all),
                                       cmocka_unit_test(test_what_is_no_name_of_a_gpu),
                                       cmocka_unit_test(test_too_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
