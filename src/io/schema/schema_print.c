/* The schema as text: a list of its tables, or a table of keys, for a terminal or in Markdown. Schema texts have `code`
 * in backticks, as in Markdown; a terminal shows them without. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "io/schema/schema.h"
#include "linerad_tools.h"

enum { LONGEST_TYPE = 512 };

/* ---- The type of a key ---- */

/* "length, e.g. `pc`" */
static void write_dimension(FILE *out, enum dimension dimension)
{
    const char *name = units_dimension_name(dimension);
    fprintf(out, "%s, e.g. `%s`", strchr(name, ' ') + 1, units_dimension_example(dimension)); /* without its article */
}

/* "{x, y, z}" if short. */
static void write_mapping(FILE *out, const struct schema *schema)
{
    enum { MOST = 9 };
    if (schema->n_key > MOST) {
        fputs("mapping", out);
        return;
    }
    fputs("`{", out);
    for (int i = 0; i < schema->n_key; i++)
        fprintf(out, "%s%s", i ? ", " : "", schema->key[i].name);
    fputs("}`", out);
}

static void write_type(FILE *out, const struct schema_key *key)
{
    if (key->holds)
        fprintf(out, "%s%s", key->holds, key->dimension == DIMENSION_NONE ? "" : ", ");
    if (key->dimension != DIMENSION_NONE)
        write_dimension(out, key->dimension);
    if (key->holds || key->dimension != DIMENSION_NONE)
        return;
    const char *const *words = key->words;
    for (int i = 0; words && words[i]; i++)
        fprintf(out, "%s`%s`", i == 0 ? "" : words[i + 1] || key->map[0] ? ", " : " or ", words[i]);
    if (!key->map[0])
        return;
    fputs(words ? " or " : key->kinds == 1u << YAML_LIST ? "list of " : "", out);
    write_mapping(out, key->map[0]);
}

static void type_text(const struct schema_key *key, char text[LONGEST_TYPE])
{
    memset(text, 0, LONGEST_TYPE);
    FILE *out = fmemopen(text, LONGEST_TYPE - 1, "w");
    if (out) {
        write_type(out, key);
        fclose(out);
    }
}

/* ---- Columns of a terminal ---- */

/* Print the next line of a text, without backticks, and blanks up to `width`; whole words, at least one. */
static void write_cell(FILE *out, const char **text, int width)
{
    int used = 0;
    while (**text) {
        const size_t length = strcspn(*text, " ");
        int shown = 0;
        for (size_t i = 0; i < length; i++)
            shown += (*text)[i] != '`';
        if (used > 0 && used + 1 + shown > width)
            break;
        if (used > 0)
            fputc(' ', out);
        for (size_t i = 0; i < length; i++)
            if ((*text)[i] != '`')
                fputc((*text)[i], out);
        used += shown + (used > 0);
        *text += length;
        *text += strspn(*text, " ");
    }
    fprintf(out, "%*s", used < width ? width - used : 0, "");
}

/* Cells of a row, each with its own width; the last one needs no padding, but is wrapped. */
static void write_row(FILE *out, const char *const *cells, const int *widths, int n)
{
    const char *rest[4];
    memcpy(rest, cells, (size_t)n * sizeof *rest);
    for (bool more = true; more;) {
        char *line = NULL;
        size_t length = 0;
        FILE *memory = open_memstream(&line, &length);
        if (!memory)
            return;
        more = false;
        for (int i = 0; i < n; i++) {
            fputs("  ", memory);
            write_cell(memory, &rest[i], widths[i]);
            more = more || *rest[i];
        }
        fclose(memory);
        while (length > 0 && line[length - 1] == ' ')
            length--;
        fprintf(out, "%.*s\n", (int)length, line);
        free(line);
    }
}

/* ---- Tables ---- */

/* All keys, or one of them. */
static void write_terminal(FILE *out, const struct schema *schema, const struct schema_key *only)
{
    int widths[4] = {3, 26, 18, 48};
    const char *title[4] = {"key", "holds", "default", "meaning"};
    for (int i = 0; i < schema->n_key; i++)
        if ((int)strlen(schema->key[i].name) > widths[0])
            widths[0] = (int)strlen(schema->key[i].name);
    if (widths[0] + widths[1] + widths[2] + widths[3] > 112)
        widths[3] = 112 - widths[0] - widths[1] - widths[2]; /* 120 with the blanks between columns */
    fprintf(out, "%s: ", schema->name);
    for (const char *c = schema->meaning; *c; c++)
        if (*c != '`')
            fputc(*c, out);
    fputs("\n\n", out);
    write_row(out, title, widths, 4);
    for (int i = 0; i < schema->n_key; i++) {
        const struct schema_key *key = &schema->key[i];
        char type[LONGEST_TYPE];
        type_text(key, type);
        const char *cells[4] = {key->name, type, key->fallback, key->meaning};
        if (!only || only == key)
            write_row(out, cells, widths, 4);
    }
}

static bool leads_to(const struct schema *schema, const struct schema *other)
{
    for (int i = 0; i < schema->n_key; i++)
        for (int m = 0; schema->key[i].map[m]; m++)
            if (schema->key[i].map[m] == other)
                return true;
    return false;
}

/* The tables that a table refers to, each once. */
static void write_further(FILE *out, const struct schema *schema)
{
    char *names = NULL;
    size_t length = 0;
    FILE *list = open_memstream(&names, &length);
    if (!list)
        return;
    bool any = false;
    for (const struct schema *const *other = SCHEMA_ALL; *other; other++)
        if (leads_to(schema, *other)) {
            fprintf(list, "%s%s", any ? ", " : "", (*other)->name);
            any = true;
        }
    fclose(list);
    if (any) {
        const char *cells[2] = {"mappings in it:", names};
        fputc('\n', out);
        write_row(out, cells, (const int[]){15, 95}, 2);
    }
    free(names);
}

static void write_markdown(FILE *out, const struct schema *schema, const struct schema_key *only)
{
    fputs("| key | type | default | meaning |\n|---|---|---|---|\n", out);
    for (int i = 0; i < schema->n_key; i++) {
        const struct schema_key *key = &schema->key[i];
        char type[LONGEST_TYPE];
        type_text(key, type);
        if (!only || only == key)
            fprintf(out, "| `%s` | %s | %s | %s |\n", key->name, type, key->fallback, key->meaning);
    }
}

static void write_table(FILE *out, const struct schema *schema, const struct schema_key *only, enum lr_format format)
{
    if (format == LR_MARKDOWN) {
        write_markdown(out, schema, only);
        return;
    }
    write_terminal(out, schema, only);
    if (!only)
        write_further(out, schema);
}

static void write_list(FILE *out, enum lr_format format)
{
    int widths[2] = {0, 80};
    if (format == LR_MARKDOWN)
        fputs("| mapping | |\n|---|---|\n", out);
    for (const struct schema *const *schema = SCHEMA_ALL; *schema; schema++)
        if ((int)strlen((*schema)->name) > widths[0])
            widths[0] = (int)strlen((*schema)->name);
    for (const struct schema *const *schema = SCHEMA_ALL; *schema; schema++) {
        const char *cells[2] = {(*schema)->name, (*schema)->meaning};
        if (format == LR_MARKDOWN)
            fprintf(out, "| `%s` | %s |\n", cells[0], cells[1]);
        else
            write_row(out, cells, widths, 2);
    }
}

/* ---- By name ---- */

/* "image.beam, ...": all keys of this name. */
static void list_keys(const char *name, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct schema *const *schema = SCHEMA_ALL; *schema; schema++)
        for (int i = 0; i < (*schema)->n_key && used < size; i++)
            if (strcmp((*schema)->key[i].name, name) == 0)
                used += (size_t)snprintf(text + used, size - used, "%s%s.%s", used ? ", " : "", (*schema)->name, name);
}

static enum lr_status fail_unknown(lr_context *ctx, const char *name)
{
    const char *names[SCHEMA_MOST_TABLES];
    char keys[512];
    list_keys(name, keys, sizeof keys);
    if (*keys)
        return lr_fail(ctx, LR_ERROR_INPUT, "a model has no section '%.80s'; keys of that name: %s", name, keys);
    char sections[512] = "";
    int n = 0, nearest = -1;
    for (; SCHEMA_ALL[n] && n < SCHEMA_MOST_TABLES; n++)
        names[n] = SCHEMA_ALL[n]->name;
    words_match(name, names, n, &nearest);
    if (nearest >= 0)
        return lr_fail(ctx, LR_ERROR_INPUT, "a model has no section '%.80s'; did you mean '%s'?", name, names[nearest]);
    for (n = 0; n < SCHEMA_MODEL.n_key; n++)
        names[n] = SCHEMA_MODEL.key[n].name;
    yaml_join_words(names, n, sections, sizeof sections);
    return lr_fail(ctx, LR_ERROR_INPUT, "a model has no section '%.80s'; it has %s", name, sections);
}

/* The table of that name; or all that begin with "name."; or the key after the last dot. */
static bool write_named(FILE *out, const char *name, enum lr_format format)
{
    const size_t length = strlen(name);
    const char *dot = strrchr(name, '.');
    for (const struct schema *const *schema = SCHEMA_ALL; *schema; schema++)
        if (strcmp((*schema)->name, name) == 0) {
            write_table(out, *schema, NULL, format);
            return true;
        }
    for (const struct schema *const *schema = SCHEMA_ALL; *schema && dot; schema++) {
        const struct schema_key *key = schema_find(*schema, dot + 1);
        if (key && strlen((*schema)->name) == (size_t)(dot - name) &&
            strncmp((*schema)->name, name, (size_t)(dot - name)) == 0) {
            write_table(out, *schema, key, format);
            return true;
        }
    }
    bool any = false;
    for (const struct schema *const *schema = SCHEMA_ALL; *schema; schema++)
        if (strncmp((*schema)->name, name, length) == 0 && (*schema)->name[length] == '.') {
            fputs(any ? "\n" : "", out);
            write_table(out, *schema, NULL, format);
            any = true;
        }
    return any;
}

enum lr_status lr_model_keys(lr_context *ctx, const char *section, enum lr_format format, char **text)
{
    size_t size = 0;
    bool found = true;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (out && (!section || !*section))
        write_list(out, format);
    else if (out)
        found = write_named(out, section, format);
    if (!out || fclose(out) != 0)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory");
    if (found)
        return LR_OK;
    free(*text);
    *text = NULL;
    return fail_unknown(ctx, section);
}
