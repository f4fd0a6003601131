/* Writes valid JSON, whatever the strings and numbers are. */
#ifndef LINERAD_CLI_JSON_H
#define LINERAD_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *file;
    int depth;
    bool first; /* nothing yet in the object or array that is open */
};

/* key = NULL inside an array and for the outermost object. bracket is '{' or '['. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_number(struct json *json, const char *key, double value); /* null when not finite */
void json_integer(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_text(struct json *json, const char *key, const char *text); /* bytes that are not UTF-8 become U+FFFD */

#endif
