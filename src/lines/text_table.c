#include "lines/text_table.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBER = 48, FIRST_BYTES = 1 << 16, MAX_BYTES = 1 << 28 };

enum lr_status text_table_fail(const struct text_table *table, int line, const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return lr_fail(table->ctx, LR_ERROR_INPUT, "%s:%d: %s", table->name, line, message);
}

/* ---- the text ---- */

static enum lr_status prepare(struct text_table *table, size_t size)
{
    table->next = table->word = table->text;
    table->end = table->text + size;
    *table->end = '\0';
    int line = 1;
    for (char *c = table->text; c < table->end; c++) {
        if (*c == '\0')
            return text_table_fail(table, line, "a zero byte: this is not a text file");
        if (*c == '\n')
            line++;
        else if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    }
    return LR_OK;
}

static enum lr_status read_all(struct text_table *table, FILE *file, size_t *size)
{
    size_t capacity = FIRST_BYTES;
    LR_TRY(lr_allocate(table->ctx, capacity + 1, 1, &table->text));
    for (*size = 0; !feof(file);) {
        *size += fread(table->text + *size, 1, capacity - *size, file);
        if (ferror(file))
            return lr_fail(table->ctx, LR_ERROR_IO, "%s: cannot read: %s", table->name, strerror(errno));
        if (*size < capacity)
            continue;
        if (capacity >= MAX_BYTES)
            return lr_fail(table->ctx, LR_ERROR_INPUT, "%s: over %d MiB, too large for line data", table->name,
                           MAX_BYTES >> 20);
        capacity *= 2;
        char *more = realloc(table->text, capacity + 1);
        if (!more)
            return lr_fail(table->ctx, LR_ERROR_MEMORY, "%s: out of memory", table->name);
        table->text = more;
    }
    return LR_OK;
}

enum lr_status text_table_open(lr_context *ctx, const char *path, struct text_table *table)
{
    *table = (struct text_table){.ctx = ctx, .name = path};
    FILE *file = fopen(path, "rb");
    if (!file)
        return lr_fail(ctx, LR_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    size_t size = 0;
    enum lr_status status = read_all(table, file, &size);
    fclose(file);
    return status == LR_OK ? prepare(table, size) : status;
}

enum lr_status text_table_copy(lr_context *ctx, const char *name, const char *text, size_t size,
                               struct text_table *table)
{
    *table = (struct text_table){.ctx = ctx, .name = name};
    LR_TRY(lr_allocate(ctx, size + 1, 1, &table->text));
    if (size)
        memcpy(table->text, text, size);
    return prepare(table, size);
}

/* ---- lines ---- */

bool text_table_more(const struct text_table *table)
{
    return table->next + strspn(table->next, " \n") < table->end;
}

enum lr_status text_table_next(struct text_table *table, const char *expected)
{
    while (table->next < table->end) {
        char *start = table->next, *stop = memchr(start, '\n', (size_t)(table->end - start));
        table->unfinished = !stop;
        table->next = stop ? stop + 1 : table->end;
        table->line++;
        if (stop)
            *stop = '\0';
        table->word = start + strspn(start, " ");
        if (*table->word)
            return LR_OK;
    }
    return TEXT_FAIL(table, "unexpected end of file; expected %s", expected);
}

/* ---- words ---- */

const char *text_table_word(struct text_table *table)
{
    char *start = table->word + strspn(table->word, " ");
    size_t length = strcspn(start, " ");
    table->word = start + length;
    if (length == 0)
        return NULL;
    if (*table->word)
        *table->word++ = '\0';
    return start;
}

/* Not in the middle of a multi-byte character. */
static void cut(char *text, size_t length)
{
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    text[length] = '\0';
}

void text_table_rest(struct text_table *table, char *rest, size_t size)
{
    size_t n = 0;
    for (const char *c = table->word; *c; c++) {
        bool blank = *c == ' ' || *c == '"';
        if (blank && (n == 0 || rest[n - 1] == ' '))
            continue;
        rest[n++] = blank ? ' ' : *c;
        if (n == size) {
            cut(rest, size - 1);
            n = strlen(rest);
            break;
        }
    }
    while (n > 0 && rest[n - 1] == ' ')
        n--;
    rest[n] = '\0';
    table->word += strlen(table->word);
}

/* A number in a form that strtod() accepts, from one possibly written by Fortran. */
static bool plain_number(const char *word, char number[MAX_NUMBER])
{
    size_t n = 0;
    bool in_exponent = false, digits = false;
    for (const char *c = word; *c; c++) {
        if (n + 2 >= MAX_NUMBER || !strchr("0123456789+-.eEdD", *c))
            return false;
        bool letter = strchr("eEdD", *c), sign = *c == '+' || *c == '-';
        if (letter || (sign && digits && !in_exponent)) {
            if (in_exponent || !digits)
                return false;
            number[n++] = 'e';
            in_exponent = true;
        }
        if (!letter)
            number[n++] = *c;
        digits = digits || (*c >= '0' && *c <= '9');
    }
    number[n] = '\0';
    return digits;
}

/* 10^(exponent - digits after the point). */
static double place_of_last_digit(const char *number)
{
    const char *point = strchr(number, '.'), *exponent = strchr(number, 'e');
    size_t digits = point ? strspn(point + 1, "0123456789") : 0;
    return pow(10.0, (exponent ? strtod(exponent + 1, NULL) : 0.0) - (double)digits);
}

bool text_table_numbers_follow(const struct text_table *table, int n)
{
    const char *at = table->next + strspn(table->next, " \n");
    for (int i = 0; i < n; i++) {
        char word[MAX_NUMBER], number[MAX_NUMBER];
        const size_t length = strcspn(at, " \n");
        if (length == 0 || length >= sizeof word)
            return false;
        memcpy(word, at, length);
        word[length] = '\0';
        if (!plain_number(word, number))
            return false;
        at += length + strspn(at + length, " ");
    }
    return true;
}

enum lr_status text_table_number(struct text_table *table, const char *expected, double *value, double *last_place)
{
    const char *word = text_table_word(table);
    if (!word)
        return TEXT_FAIL(table, "unexpected end of line; expected %s", expected);
    char number[MAX_NUMBER], *end = number;
    if (plain_number(word, number))
        *value = strtod(number, &end);
    if (end == number || *end)
        return TEXT_FAIL(table, "'%.40s' is not a number; expected %s", word, expected);
    if (!isfinite(*value))
        return TEXT_FAIL(table, "'%.40s' is too large; expected %s", word, expected);
    if (last_place)
        *last_place = place_of_last_digit(number);
    return LR_OK;
}

enum lr_status text_table_integer(struct text_table *table, const char *expected, int low, int high, int *value)
{
    const char *word = text_table_word(table);
    if (!word)
        return TEXT_FAIL(table, "unexpected end of line; expected %s", expected);
    char *end = NULL;
    errno = 0;
    long long number = strtoll(word, &end, 10);
    if (end == word || *end)
        return TEXT_FAIL(table, "'%.40s' is not a whole number; expected %s", word, expected);
    if (errno || number < low || number > high)
        return TEXT_FAIL(table, "'%.40s' must lie between %d and %d; expected %s", word, low, high, expected);
    *value = (int)number;
    return LR_OK;
}
