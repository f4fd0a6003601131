#include "json.h"

#include <inttypes.h>
#include <math.h>

static const int indent = 2;

/* Bytes of the well-formed UTF-8 character at `text` (Unicode table 3-7), 0 if there is none. */
static int utf8_length(const unsigned char *text)
{
    const unsigned char lead = text[0];
    int length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xf0 && text[1] < 0x90);
    const bool surrogate = lead == 0xed && text[1] >= 0xa0;
    const bool too_large = lead == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

static void put_string(FILE *file, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    fputc('"', file);
    while (*c) {
        int length = utf8_length(c);
        if (length == 0)
            fputs("\\ufffd", file);
        else if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t)length, file);
        c += length ? length : 1;
    }
    fputc('"', file);
}

static void new_line(const struct json *json)
{
    if (!json->one_line)
        fprintf(json->file, "\n%*s", indent * json->depth, "");
}

/* Comma, new line, indentation and key of the next member. */
static void start(struct json *json, const char *key)
{
    if (!json->first)
        fputs(json->one_line ? ", " : ",", json->file);
    if (json->depth > 0)
        new_line(json);
    json->first = false;
    if (key) {
        put_string(json->file, key);
        fputs(": ", json->file);
    }
}

void json_open(struct json *json, const char *key, char bracket)
{
    start(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->first = true;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (!json->first)
        new_line(json);
    fputc(bracket == '{' ? '}' : ']', json->file);
    json->first = false;
    if (json->depth == 0)
        fputc('\n', json->file);
}

void json_number(struct json *json, const char *key, double value)
{
    start(json, key);
    if (isfinite(value))
        fprintf(json->file, "%.17g", value);
    else
        fputs("null", json->file);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    start(json, key);
    fprintf(json->file, "%" PRId64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    start(json, key);
    fputs(value ? "true" : "false", json->file);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
    start(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void json_text(struct json *json, const char *key, const char *text)
{
    start(json, key);
    put_string(json->file, text);
}
