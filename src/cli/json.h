/* Writes valid JSON for any strings and numbers. */
#ifndef LINERAD_CLI_JSON_H
#define LINERAD_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *file;
    int depth;
    bool first;    /* the open object or array is still empty */
    bool one_line; /* no line breaks except at the end */
};

/* key = NULL inside an array and for the outermost object. bracket is '{' or '['. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_number(struct json *json, const char *key, double value); /* null if not finite */
void json_integer(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_text(struct json *json, const char *key, const char *text); /* bytes that are not UTF-8 become U+FFFD */

#endif
