#include "output_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Of `name` without its ending; a name that is nothing but an ending keeps it. */
static size_t stem_length(const char *name, const char *const *endings)
{
    const char *dot = strrchr(name, '.');
    for (; dot && dot > name && *endings; endings++)
        if (strcmp(dot, *endings) == 0)
            return (size_t)(dot - name);
    return strlen(name);
}

char *output_name(const char *input, const char *const *endings, const char *tail)
{
    const char *slash = strrchr(input, '/');
    const char *name = slash ? slash + 1 : input;
    const size_t length = stem_length(name, endings);
    const size_t size = length + strlen(tail) + 1;
    char *output = malloc(size);
    if (output)
        snprintf(output, size, "%.*s%s", (int)length, name, tail);
    else
        message_error("out of memory");
    return output;
}
