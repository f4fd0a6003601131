/* A tree that is written and read again is the same tree, whatever strings it contains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml/yaml_tree.h"

static struct yaml_tree *parse(lr_context *ctx, const char *text)
{
    struct yaml_tree *tree = NULL;
    if (yaml_parse(ctx, "m.yaml", text, strlen(text), &tree) != LR_OK)
        fail_msg("%s in:\n%s", lr_last_error(ctx), text);
    return tree;
}

static void expect_same(const struct yaml_node *a, const struct yaml_node *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->n_child, b->n_child);
    assert_int_equal(a->key != NULL, b->key != NULL);
    if (a->key)
        assert_string_equal(a->key, b->key);
    if (a->kind == YAML_SCALAR)
        assert_string_equal(a->text, b->text);
    for (a = a->first, b = b->first; a; a = a->next, b = b->next)
        expect_same(a, b);
}

/* The written text; the original tree is released. */
static char *write_and_read_back(lr_context *ctx, struct yaml_tree *tree)
{
    char *text = NULL;
    assert_int_equal(yaml_write(ctx, tree, &text), LR_OK);
    struct yaml_tree *again = parse(ctx, text);
    expect_same(tree->root, again->root);
    yaml_free(again);
    yaml_free(tree);
    return text;
}

static void documents_come_back(void **state)
{
    (void)state;
    const char *const cases[] = {
        "one word",
        "[]",
        "{}",
        "a:\nb: ~\nc: []\nd: {}\n",
        "mesh:\n  cells: [128, 2]\nsources:\n  - plane: {at: 1 pc}\n  - empty:\n",
        "a: &x [1, 2]\nb: *x\n",
        "? \"a key: with, {odd} [signs] # \\\" \\\\ %\"\n: 1\n'': 2\n",
    };
    lr_context *ctx = lr_context_create();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        free(write_and_read_back(ctx, parse(ctx, cases[i])));
    lr_context_free(ctx);
}

static void nasty_texts_come_back(void **state)
{
    (void)state;
    const char *const texts[] = {
        "",
        " leading and trailing ",
        "\t",
        "\n%line\n\n  two\r\nthree",
        "it's \"quoted\" \\ and \\n",
        "%YAML",
        "# no comment",
        "- no list",
        "{no: map}",
        "*no_alias &no_anchor !no_tag @ ` |",
        "~",
        "null",
        "true",
        "\x01\x02\x1b\x7f",
        "\xc2\x80\xc2\x85\xc2\xa0",                         /* controls, next line, no-break space */
        "\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\xef\xbf\xbd", /* line and paragraph separators, byte order mark */
        "1 \xc2\xb5m \xe2\x82\xac \xf0\x9f\x8c\x9f",
    };
    const int n = sizeof texts / sizeof texts[0];
    lr_context *ctx = lr_context_create();
    struct yaml_tree *tree = parse(ctx, "list: []\n");
    struct yaml_node *list = yaml_find(tree->root, "list"), *child = NULL;
    for (int i = 0; i < n; i++) {
        assert_int_equal(yaml_new_node(ctx, tree, YAML_SCALAR, &child), LR_OK);
        child->text = texts[i];
        yaml_append(list, child);
    }
    char *text = write_and_read_back(ctx, tree);
    for (const char *c = text; *c; c++)
        assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7F));
    free(text);
    lr_context_free(ctx);
}

static void settings_are_part_of_what_is_written(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct yaml_tree *tree = parse(ctx, "# a comment\nrun: {seed: 1}\nline: lya\n");
    assert_int_equal(yaml_set(ctx, tree, "run.seed=7"), LR_OK);
    assert_int_equal(yaml_set(ctx, tree, "cameras=[{direction: +z}]"), LR_OK);
    char *text = write_and_read_back(ctx, tree);
    assert_string_equal(text, "{\"run\": {\"seed\": \"7\"},\n \"line\": \"lya\",\n"
                              " \"cameras\": [{\"direction\": \"+z\"}]}\n");
    free(text);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_come_back),
        cmocka_unit_test(nasty_texts_come_back),
        cmocka_unit_test(settings_are_part_of_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
