#include "lines.h"

#include <string.h>

#include "command.h"
#include "message.h"

/* The names as a list, for messages. */
static int complain(const char *model, const char *wanted, char *names)
{
    if (!*names)
        return message_error("--line %s: %s has only one line; remove this option", wanted, model);
    for (char *c = names; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return message_error("--line %s: %s has no such line; its lines are: %s", wanted, model, names);
}

int lines_find(lr_context *ctx, const char *model, const struct settings *settings, const char *wanted, char **names)
{
    if (lr_model_lines(ctx, model, (const char *const *)settings->texts, settings->n, names))
        return message_error("%s", lr_last_error(ctx));
    for (char *name = *names, *next = NULL; wanted && *name; name = next) {
        const size_t length = strcspn(name, "\n");
        next = name + length + (name[length] == '\n');
        if (strlen(wanted) == length && strncmp(name, wanted, length) == 0) {
            memmove(*names, name, length);
            (*names)[length] = '\0';
            return EXIT_GOOD;
        }
    }
    return wanted ? complain(model, wanted, *names) : EXIT_GOOD;
}
