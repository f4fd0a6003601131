/* A transition is the number of a line in the file, from 1; its label, such as 1-0; the label without its last parts,
 * which means all lines that share what is left, such as the hyperfine components of 1-0 in a file whose levels are
 * called 01_02; a list of these; or all lines in a range of frequencies. */
#include "io/model/model_transition.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/model/model_value.h"
#include "model/line_group.h"
#include "model/species.h"

static void list_lines(const struct molecule *molecule, char *text, size_t size)
{
    enum { SHOWN = 6 };
    size_t used = 0;
    for (int i = 0; i < molecule->n_line && i < SHOWN && used < size; i++) {
        char label[96];
        species_line_label(molecule, i, label, sizeof label);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", label);
    }
    if (molecule->n_line > SHOWN && used < size)
        snprintf(text + used, size - used, ", ...");
}

static bool separates(char c)
{
    return c == '_' || c == ',' || c == ' ' || c == '\t' || c == '"';
}

/* The next part of a label from *at on, up to `end`; false at its end. */
static bool next_part(const char **at, const char *end, const char **part, size_t *length)
{
    while (*at < end && separates(**at))
        (*at)++;
    *part = *at;
    while (*at < end && !separates(**at))
        (*at)++;
    *length = (size_t)(*at - *part);
    return *length > 0;
}

/* The same text, or the same number: 01 is 1. */
static bool same_part(const char *a, size_t n_a, const char *b, size_t n_b)
{
    if (n_a == n_b && memcmp(a, b, n_a) == 0)
        return true;
    char *end_a = NULL, *end_b = NULL;
    const double x = strtod(a, &end_a), y = strtod(b, &end_b);
    return end_a == a + n_a && end_b == b + n_b && x == y;
}

/* Whether the label of a level begins with these parts. */
static bool begins_with(const char *label, const char *wanted, const char *wanted_end)
{
    const char *label_end = label + strlen(label), *part = NULL, *own = NULL;
    size_t length = 0, own_length = 0;
    int n = 0;
    while (next_part(&wanted, wanted_end, &part, &length)) {
        if (!next_part(&label, label_end, &own, &own_length) || !same_part(own, own_length, part, length))
            return false;
        n++;
    }
    return n > 0;
}

/* Whether the line connects levels that begin with what is left and right of one of the dashes of the text. */
static bool in_multiplet(const struct molecule *molecule, int line, const char *wanted)
{
    const char *upper = molecule->level[molecule->line[line].upper].label;
    const char *lower = molecule->level[molecule->line[line].lower].label;
    for (const char *dash = strchr(wanted, '-'); dash; dash = strchr(dash + 1, '-'))
        if (begins_with(upper, wanted, dash) && begins_with(lower, dash + 1, wanted + strlen(wanted)))
            return true;
    return false;
}

/* Lines that one value means, marked with true. */
static enum lr_status mark_number(const struct reader *r, const struct yaml_node *node, const struct molecule *molecule,
                                  long number, bool *marked)
{
    if (number < 1 || number > molecule->n_line)
        return READER_FAIL(r, node, "'%s' must lie between 1 and %d, the number of lines of %s", node->text,
                           molecule->n_line, molecule->name);
    marked[number - 1] = true;
    return LR_OK;
}

static enum lr_status mark_label(const struct reader *r, const struct yaml_node *node, const struct molecule *molecule,
                                 bool *marked)
{
    char wanted[96];
    size_t n = 0;
    int found = -1, n_component = 0;
    for (const char *c = node->text; *c && n + 1 < sizeof wanted; c++)
        if (!isspace((unsigned char)*c))
            wanted[n++] = *c;
    wanted[n] = '\0';
    for (int i = 0; i < molecule->n_line; i++) {
        char label[96];
        species_line_label(molecule, i, label, sizeof label);
        if (strcmp(label, wanted) != 0)
            continue;
        if (found >= 0)
            return READER_FAIL(r, node, "lines %d and %d of %s are both called '%s'; give a number", found + 1, i + 1,
                               molecule->name, wanted);
        found = i;
        marked[i] = true;
    }
    for (int i = 0; found < 0 && i < molecule->n_line; i++)
        if (in_multiplet(molecule, i, node->text)) {
            marked[i] = true;
            n_component++;
        }
    if (found >= 0 || n_component > 0)
        return LR_OK;
    char list[256] = "";
    list_lines(molecule, list, sizeof list);
    return READER_FAIL(r, node, "%s has no line '%s'; it has %s, or the numbers 1 to %d", molecule->name, wanted, list,
                       molecule->n_line);
}

static enum lr_status mark_value(const struct reader *r, const struct yaml_node *node, const struct molecule *molecule,
                                 bool *marked)
{
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    char *end = NULL;
    const long number = strtol(node->text, &end, 10);
    return end != node->text && *end == '\0' ? mark_number(r, node, molecule, number, marked)
                                             : mark_label(r, node, molecule, marked);
}

static int count_marked(const struct molecule *molecule, const bool *marked)
{
    int n = 0;
    for (int i = 0; i < molecule->n_line; i++)
        n += marked[i];
    return n;
}

static enum lr_status mark_list(const struct reader *r, const struct yaml_node *list, const struct molecule *molecule,
                                bool *marked)
{
    bool *one = NULL;
    enum lr_status status = lr_allocate(r->ctx, (size_t)molecule->n_line, sizeof *one, &one);
    for (const struct yaml_node *node = list->first; node && status == LR_OK; node = node->next) {
        memset(one, 0, (size_t)molecule->n_line * sizeof *one);
        status = mark_value(r, node, molecule, one);
        for (int i = 0; i < molecule->n_line && status == LR_OK; i++) {
            if (one[i] && marked[i])
                status = READER_FAIL(r, node, "line %d of %s is given twice", i + 1, molecule->name);
            marked[i] |= one[i];
        }
    }
    free(one);
    return status;
}

static enum lr_status mark_range(const struct reader *r, const struct yaml_node *range, const struct molecule *molecule,
                                 bool *marked)
{
    double low = 0.0, high = 0.0;
    LR_TRY(yaml_expect(r->ctx, r->tree, range, YAML_LIST));
    if (range->n_child != 2)
        return READER_FAIL(r, range, "expected two frequencies [from, to], found %d", range->n_child);
    LR_TRY(read_quantity(r, range->first, DIMENSION_FREQUENCY, &low));
    LR_TRY(read_quantity(r, range->last, DIMENSION_FREQUENCY, &high));
    for (int i = 0; i < molecule->n_line; i++) {
        const double frequency = molecule->line[i].frequency;
        marked[i] = frequency >= fmin(low, high) && frequency <= fmax(low, high) && molecule->line[i].a_ul > 0.0;
    }
    return count_marked(molecule, marked) > 0
               ? LR_OK
               : READER_FAIL(r, range, "%s has no line from %.9g to %.9g GHz", molecule->name, 1e-9 * fmin(low, high),
                             1e-9 * fmax(low, high));
}

static enum lr_status mark_all(const struct reader *r, const struct yaml_node *map, const struct molecule *molecule,
                               bool *marked)
{
    const struct yaml_node *node = yaml_find(map, "transition"), *range = yaml_find(map, "range");
    const bool all = node && node->kind == YAML_SCALAR && strcmp(node->text, "all") == 0;
    if (all && !range)
        return READER_FAIL(r, node, "all lines of which frequencies? Add for example range: [88.6 GHz, 88.7 GHz]");
    if (range && !all)
        return yaml_fail_key(r->ctx, r->tree, range, "this goes with 'transition: all'");
    if (all)
        return mark_range(r, range, molecule, marked);
    if (node && node->kind == YAML_LIST && node->n_child == 0)
        return READER_FAIL(r, node, "the list is empty");
    if (node && node->kind == YAML_LIST)
        return mark_list(r, node, molecule, marked);
    if (node)
        return mark_value(r, node, molecule, marked);
    marked[0] = true;
    return LR_OK;
}

/* The one with the largest g_u A. */
static int strongest(const struct molecule *molecule, const bool *marked)
{
    int best = -1;
    double most = -1.0;
    for (int i = 0; i < molecule->n_line; i++) {
        const double strength = molecule->level[molecule->line[i].upper].weight * molecule->line[i].a_ul;
        if (marked[i] && strength > most) {
            best = i;
            most = strength;
        }
    }
    return best;
}

static enum lr_status choose_first(const struct reader *r, const struct yaml_node *map, const struct molecule *molecule,
                                   const bool *marked, int *first)
{
    const struct yaml_node *node = yaml_find(map, "reference");
    bool *named = NULL;
    *first = strongest(molecule, marked);
    if (!node)
        return LR_OK;
    LR_TRY(lr_allocate(r->ctx, (size_t)molecule->n_line, sizeof *named, &named));
    enum lr_status status = mark_value(r, node, molecule, named);
    if (status == LR_OK && count_marked(molecule, named) > 1)
        status = READER_FAIL(r, node, "'%s' means %d lines; name one of them, or give its number", node->text,
                             count_marked(molecule, named));
    if (status == LR_OK) {
        *first = strongest(molecule, named);
        if (!marked[*first])
            status = READER_FAIL(r, node, "line %d is not one of those in 'transition'", *first + 1);
    }
    free(named);
    return status;
}

/* Far lines would be seen against the wrong background. */
static enum lr_status check_reach(const struct reader *r, const struct yaml_node *map, const struct molecule *molecule,
                                  const struct transitions *found)
{
    const struct yaml_node *node = yaml_find(map, "transition");
    const double first = molecule->line[found->line[0]].frequency;
    if (found->n > LINE_GROUP_MOST)
        return READER_FAIL(r, node, "these are %d lines; at most %d can be seen together", found->n, LINE_GROUP_MOST);
    for (int i = 0; i < found->n; i++) {
        const struct transition *line = &molecule->line[found->line[i]];
        if (found->n > 1 && !(line->a_ul > 0.0))
            return READER_FAIL(r, node, "line %d of %s has A = 0", found->line[i] + 1, molecule->name);
        if (fabs(line->frequency / first - 1.0) > LINE_GROUP_REACH)
            return READER_FAIL(r, node,
                               "lines %d and %d of %s do not overlap: %.6f and %.6f GHz are more than 1 %% apart; list "
                               "them in 'lines' as separate lines",
                               found->line[0] + 1, found->line[i] + 1, molecule->name, 1e-9 * first,
                               1e-9 * line->frequency);
    }
    return LR_OK;
}

static void sort_by_frequency(const struct molecule *molecule, int *line, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && molecule->line[line[j]].frequency < molecule->line[line[j - 1]].frequency; j--) {
            const int swap = line[j];
            line[j] = line[j - 1];
            line[j - 1] = swap;
        }
}

static void name_transitions(const struct yaml_node *map, const struct molecule *molecule, struct transitions *found)
{
    const struct yaml_node *node = yaml_find(map, "transition");
    if (found->n == 1)
        species_line_label(molecule, found->line[0], found->name, sizeof found->name);
    else if (node && node->kind == YAML_SCALAR && strcmp(node->text, "all") != 0)
        snprintf(found->name, sizeof found->name, "%s", node->text);
    else
        snprintf(found->name, sizeof found->name, "%d lines", found->n);
}

enum lr_status read_transitions(const struct reader *r, const struct yaml_node *map, const struct molecule *molecule,
                                struct transitions *found)
{
    bool *marked = NULL;
    enum lr_status status = LR_OK;
    int first = 0;
    *found = (struct transitions){0};
    LR_TRY(lr_allocate(r->ctx, (size_t)molecule->n_line, sizeof *marked, &marked));
    LR_TRY_OR(done, status, mark_all(r, map, molecule, marked));
    LR_TRY_OR(done, status, choose_first(r, map, molecule, marked, &first));
    LR_TRY_OR(done, status,
              lr_allocate(r->ctx, (size_t)count_marked(molecule, marked), sizeof *found->line, &found->line));
    found->line[found->n++] = first;
    for (int i = 0; i < molecule->n_line; i++)
        if (marked[i] && i != first)
            found->line[found->n++] = i;
    sort_by_frequency(molecule, found->line + 1, found->n - 1);
    name_transitions(map, molecule, found);
    status = check_reach(r, map, molecule, found);
done:
    free(marked);
    if (status != LR_OK) {
        free(found->line);
        *found = (struct transitions){0};
    }
    return status;
}
