/* The YAML tree: positions and paths of nodes, syntax errors, unknown keys with the nearest valid one, settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml/yaml_tree.h"

static struct yaml_tree *parse(lr_context *ctx, const char *text)
{
    struct yaml_tree *tree = NULL;
    if (yaml_parse(ctx, "m.yaml", text, strlen(text), &tree) != LR_OK)
        fail_msg("%s", lr_last_error(ctx));
    return tree;
}

static void nodes_know_where_they_were_written(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct yaml_tree *tree = parse(ctx, "mesh:\n  cells: [128, 2]\nsources:\n  - plane: {at: 1 pc}\n  - empty:\n");
    const struct yaml_node *cells = yaml_find(yaml_find(tree->root, "mesh"), "cells");
    assert_int_equal(cells->kind, YAML_LIST);
    assert_int_equal(cells->n_child, 2);
    assert_string_equal(cells->last->text, "2");
    assert_int_equal(cells->last->line, 2);
    assert_int_equal(cells->last->column, 16);
    const struct yaml_node *at = yaml_find(yaml_find(yaml_find(tree->root, "sources")->first, "plane"), "at");
    char path[64];
    yaml_path(at, path, sizeof path);
    assert_string_equal(path, "sources.0.plane.at");
    yaml_fail(ctx, tree, at, "no");
    assert_string_equal(lr_last_error(ctx), "m.yaml:4:17: sources.0.plane.at: no");
    assert_true(yaml_is_empty(yaml_find(yaml_find(tree->root, "sources")->last, "empty")));
    yaml_free(tree);
    lr_context_free(ctx);
}

static void text_beyond_ascii_is_kept(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct yaml_tree *tree = parse(ctx, "a: 1 \xc2\xb5m \xe2\x82\xac \xf0\x9f\x8c\x9f\n");
    assert_string_equal(yaml_find(tree->root, "a")->text, "1 \xc2\xb5m \xe2\x82\xac \xf0\x9f\x8c\x9f");
    yaml_free(tree);
    lr_context_free(ctx);
}

static void anchors_are_expanded(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct yaml_tree *tree = parse(ctx, "a: &x [1, 2]\nb: *x\n");
    assert_string_equal(yaml_find(tree->root, "b")->last->text, "2");
    yaml_free(tree);
    lr_context_free(ctx);
}

static void broken_documents_are_refused(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"", "m.yaml: the file is empty"},
        {"# only a comment\n", "m.yaml: the file is empty"},
        {"a: 1\nb: 2\na: 3\n", "m.yaml:3:1: the key 'a' is given twice"},
        {"x: {a: 1, a: 2}", "m.yaml:1:11: the key 'a' is given twice"},
        {"a: 1\n---\nb: 2\n", "m.yaml: more than one YAML document"},
        {"a: &x [*x]", "m.yaml:1:1: nested too deeply or too large"},
        {"a: *nowhere", "m.yaml:1:1: alias without an anchor"},
        {"a: \"\\0\"", "m.yaml:1: a value contains a null character"},
        {"a: 1\nb: \xc3(", "m.yaml:2: not UTF-8 text"},
        {"a: \xe0\x80\x80", "m.yaml:1: not UTF-8 text"},
        {"a: \xed\xa0\x80", "m.yaml:1: not UTF-8 text"},
        {"a: \xf4\x90\x80\x80", "m.yaml:1: not UTF-8 text"},
        {"a: \xe2\x82", "m.yaml:1: not UTF-8 text"},
        {"%YAML 1.2\n---\na: 1", "m.yaml:1: a line must not begin with '%'"},
        {"? [1, 2]\n: 3", "m.yaml:1:1: a key must be one word"},
    };
    lr_context *ctx = lr_context_create();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct yaml_tree *tree = NULL;
        assert_int_equal(yaml_parse(ctx, "m.yaml", cases[i][0], strlen(cases[i][0]), &tree), LR_ERROR_INPUT);
        assert_string_equal(lr_last_error(ctx), cases[i][1]);
        assert_null(tree);
    }
    struct yaml_tree *tree = NULL;
    assert_int_equal(yaml_parse(ctx, "m.yaml", "a: [1,\nb: 2", 12, &tree), LR_ERROR_INPUT);
    assert_memory_equal(lr_last_error(ctx), "m.yaml:2:", 9);
    lr_context_free(ctx);
}

/* Each level doubles: 2^40 nodes if expanded without a limit. */
static void exploding_aliases_are_refused(void **state)
{
    (void)state;
    char text[2048] = "a0: &a0 [1, 1]\n";
    for (int i = 1; i < 40; i++) {
        char line[64];
        snprintf(line, sizeof line, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
        strcat(text, line);
    }
    lr_context *ctx = lr_context_create();
    struct yaml_tree *tree = NULL;
    assert_int_equal(yaml_parse(ctx, "m.yaml", text, strlen(text), &tree), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(ctx), "nested too deeply or too large"));
    lr_context_free(ctx);
}

static void unknown_keys_get_the_nearest_valid_one(void **state)
{
    (void)state;
    const char *const keys[] = {"temperature", "tau_mean", "tau_centre", "b"};
    const char *const cases[][2] = {
        {"temprature: 1", "m.yaml:1:1: temprature: unknown key; did you mean 'temperature'?"},
        {"b: 1\nTemperature: 1", "m.yaml:2:1: Temperature: unknown key; did you mean 'temperature'?"},
        {"tau_maen: 1", "m.yaml:1:1: tau_maen: unknown key; did you mean 'tau_mean'?"},
        {"tau_center: 1", "m.yaml:1:1: tau_center: unknown key; did you mean 'tau_centre'?"},
        {"colour: 1", "m.yaml:1:1: colour: unknown key; valid here: temperature, tau_mean, tau_centre, b"},
    };
    lr_context *ctx = lr_context_create();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct yaml_tree *tree = parse(ctx, cases[i][0]);
        assert_int_equal(yaml_check_keys(ctx, tree, tree->root, keys, 4), LR_ERROR_INPUT);
        assert_string_equal(lr_last_error(ctx), cases[i][1]);
        yaml_free(tree);
    }
    lr_context_free(ctx);
}

static void settings_replace_add_and_append(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct yaml_tree *tree = parse(ctx, "m: {a: 1}\nlist: [x, y]\nnothing:\n");
    const char *const settings[] = {"m.a=7 K",           "m.b={c: [1, 2]}", "list.1=z",     "list.2=w",
                                    "nothing.new.key=3", "m.b.c.0=9",       "device=cuda:0"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_int_equal(yaml_set(ctx, tree, settings[i]), LR_OK);
    const struct yaml_node *m = yaml_find(tree->root, "m"), *list = yaml_find(tree->root, "list");
    assert_string_equal(yaml_find(m, "a")->text, "7 K");
    assert_string_equal(yaml_find(yaml_find(m, "b"), "c")->first->text, "9");
    assert_string_equal(yaml_find(yaml_find(m, "b"), "c")->last->text, "2");
    assert_int_equal(list->n_child, 3);
    assert_string_equal(list->first->text, "x");
    assert_string_equal(list->first->next->text, "z");
    assert_string_equal(list->last->text, "w");
    assert_string_equal(yaml_find(yaml_find(yaml_find(tree->root, "nothing"), "new"), "key")->text, "3");
    assert_string_equal(yaml_find(tree->root, "device")->text, "cuda:0");
    yaml_fail(ctx, tree, yaml_find(m, "a"), "bad");
    assert_string_equal(lr_last_error(ctx), "--set m.a: bad");
    yaml_fail(ctx, tree, yaml_find(yaml_find(m, "b"), "c")->last, "bad");
    assert_string_equal(lr_last_error(ctx), "--set m.b: m.b.c.1: bad");
    yaml_free(tree);
    lr_context_free(ctx);
}

static void bad_settings_are_named(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"abc", "--set abc: write it as path.to.key=value"},
        {"=3", "--set =3: write it as path.to.key=value"},
        {"m.a=", "--set m.a: no value after '='"},
        {"list.5=1", "--set list.5: '5' is not an index into a list of 2"},
        {"list.x=1", "--set list.x: 'x' is not an index into a list of 2"},
        {"m.a.b=1", "--set m.a.b: no such path; 'b' follows a single value or nothing"},
        {"m..b=1", "--set m..b: no such path; '' follows a single value or nothing"},
    };
    lr_context *ctx = lr_context_create();
    struct yaml_tree *tree = parse(ctx, "m: {a: 1}\nlist: [x, y]\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(yaml_set(ctx, tree, cases[i][0]), LR_ERROR_INPUT);
        assert_string_equal(lr_last_error(ctx), cases[i][1]);
    }
    assert_int_equal(yaml_set(ctx, tree, "m.a=[1, 2"), LR_ERROR_INPUT);
    assert_memory_equal(lr_last_error(ctx), "--set m.a:", 10);
    yaml_free(tree);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_know_where_they_were_written),
        cmocka_unit_test(text_beyond_ascii_is_kept),
        cmocka_unit_test(anchors_are_expanded),
        cmocka_unit_test(broken_documents_are_refused),
        cmocka_unit_test(exploding_aliases_are_refused),
        cmocka_unit_test(unknown_keys_get_the_nearest_valid_one),
        cmocka_unit_test(settings_replace_add_and_append),
        cmocka_unit_test(bad_settings_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
