/* Single values of a model file: quantities with units, numbers, words, directions. */
#include "io/model/model_value.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

static enum lr_status expect_value(const struct reader *r, const struct yaml_node *node)
{
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    if (yaml_is_empty(node))
        return READER_FAIL(r, node, "the value is missing");
    return LR_OK;
}

enum lr_status read_quantity(const struct reader *r, const struct yaml_node *node, enum dimension dimension,
                             double *value)
{
    if (!node)
        return LR_OK;
    LR_TRY(expect_value(r, node));
    enum unit_match match = units_parse(r->units, node->text, dimension, value);
    if (match == UNIT_OK)
        return LR_OK;
    char message[512];
    units_explain(match, node->text, dimension, message, sizeof message);
    return READER_FAIL(r, node, "%s", message);
}

enum lr_status read_positive(const struct reader *r, const struct yaml_node *map, const char *key,
                             enum dimension dimension, double *value)
{
    const struct yaml_node *node = NULL;
    LR_TRY(require_key(r, map, key, &node));
    LR_TRY(read_quantity(r, node, dimension, value));
    if (!(*value > 0.0))
        return READER_FAIL(r, node, "'%s' must be above zero", node->text);
    return LR_OK;
}

enum lr_status read_within(const struct reader *r, const struct yaml_node *map, const char *key,
                           enum dimension dimension, double low, double high, const char *range, double *value)
{
    LR_TRY(read_positive(r, map, key, dimension, value));
    if (!(*value >= low && *value <= high))
        return READER_FAIL(r, yaml_find(map, key), "'%s' is out of range; expected %s", yaml_find(map, key)->text,
                           range);
    return LR_OK;
}

enum lr_status read_number(const struct reader *r, const struct yaml_node *node, double low, double high, double *value)
{
    if (!node)
        return LR_OK;
    LR_TRY(read_quantity(r, node, DIMENSION_NONE, value));
    if (*value < low && high == DBL_MAX)
        return READER_FAIL(r, node, "'%s' must be at least %g", node->text, low);
    if (*value < low || *value > high)
        return READER_FAIL(r, node, "'%s' must lie between %g and %g", node->text, low, high);
    return LR_OK;
}

/* Whole numbers may be written 100000 or 1e5; the plain form is exact to 63 bits. */
enum lr_status read_integer(const struct reader *r, const struct yaml_node *node, int64_t low, int64_t high,
                            int64_t *value)
{
    if (!node)
        return LR_OK;
    LR_TRY(expect_value(r, node));
    char *end = NULL;
    errno = 0;
    long long exact = strtoll(node->text, &end, 10);
    if (end == node->text || *end != '\0' || errno != 0) {
        double number = 0.0;
        LR_TRY(read_quantity(r, node, DIMENSION_NONE, &number));
        if (number != floor(number) || fabs(number) > 9e15)
            return READER_FAIL(r, node, "'%s' is not a whole number", node->text);
        exact = (long long)number;
    }
    if ((exact < low || exact > high) && high < 10000000)
        return READER_FAIL(r, node, "'%s' must lie between %lld and %lld", node->text, (long long)low, (long long)high);
    if (exact < low || exact > high)
        return READER_FAIL(r, node, "'%s' must lie between %lld and %g", node->text, (long long)low, (double)high);
    *value = exact;
    return LR_OK;
}

enum lr_status read_int(const struct reader *r, const struct yaml_node *node, int low, int high, int *value)
{
    int64_t wide = *value;
    LR_TRY(read_integer(r, node, low, high, &wide));
    *value = (int)wide;
    return LR_OK;
}

enum lr_status read_auto(const struct reader *r, const struct yaml_node *node, int high, int *value)
{
    if (node && node->kind == YAML_SCALAR && strcmp(node->text, "auto") == 0) {
        *value = 0;
        return LR_OK;
    }
    return read_int(r, node, 1, high, value);
}

enum lr_status read_word(const struct reader *r, const struct yaml_node *node, const char *const *words, int n_word,
                         int *value)
{
    if (!node)
        return LR_OK;
    LR_TRY(expect_value(r, node));
    int nearest = -1;
    int found = words_match(node->text, words, n_word, &nearest);
    if (found < 0) {
        char list[512];
        yaml_join_words(words, n_word, list, sizeof list);
        return READER_FAIL(r, node, "'%s' is not one of: %s", node->text, list);
    }
    *value = found;
    return LR_OK;
}

enum lr_status read_choice(const struct reader *r, const struct yaml_node *node, const struct schema *schema,
                           const char *key, int *value)
{
    const char *const *words = schema_find(schema, key)->words;
    int n = 0;
    while (words[n])
        n++;
    return read_word(r, node, words, n, value);
}

enum lr_status read_bool(const struct reader *r, const struct yaml_node *node, bool *value)
{
    const char *const words[] = {"false", "true"};
    int found = *value;
    LR_TRY(read_word(r, node, words, 2, &found));
    *value = found == 1;
    return LR_OK;
}

enum lr_status read_axis(const struct reader *r, const struct yaml_node *node, int *axis)
{
    const char *const words[] = {"x", "y", "z"};
    return read_word(r, node, words, 3, axis);
}

enum lr_status read_vector(const struct reader *r, const struct yaml_node *node, enum dimension dimension,
                           double value[3])
{
    if (!node)
        return LR_OK;
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
    if (node->n_child != 3)
        return READER_FAIL(r, node, "expected three values [x, y, z], found %d", node->n_child);
    int i = 0;
    for (const struct yaml_node *item = node->first; item; item = item->next)
        LR_TRY(read_quantity(r, item, dimension, &value[i++]));
    return LR_OK;
}

enum lr_status read_direction(const struct reader *r, const struct yaml_node *node, double direction[3])
{
    const char *const words[] = {"+x", "-x", "+y", "-y", "+z", "-z"};
    if (node->kind == YAML_SCALAR) {
        int word = 0;
        LR_TRY(read_word(r, node, words, 6, &word));
        for (int d = 0; d < 3; d++)
            direction[d] = d == word / 2 ? (word % 2 ? -1.0 : 1.0) : 0.0;
        return LR_OK;
    }
    LR_TRY(read_vector(r, node, DIMENSION_NONE, direction));
    double largest = fmax(fabs(direction[0]), fmax(fabs(direction[1]), fabs(direction[2])));
    if (largest == 0.0)
        return READER_FAIL(r, node, "a direction must not be zero");
    for (int d = 0; d < 3; d++)
        direction[d] /= largest;
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    for (int d = 0; d < 3; d++)
        direction[d] /= length;
    return LR_OK;
}

enum lr_status require_key(const struct reader *r, const struct yaml_node *map, const char *key,
                           const struct yaml_node **child)
{
    *child = yaml_find(map, key);
    if (!*child)
        return yaml_fail_key(r->ctx, r->tree, map, "the key '%s' is missing", key);
    return LR_OK;
}
