#include "lines.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "message.h"

/* The names as a list, for messages. */
static int complain(const lr_document *document, const char *model, const char *wanted)
{
    char names[512] = "";
    if (!*lr_document_line(document, 0))
        return message_error("--line %s: %s has only one line; remove this option", wanted, model);
    for (int i = 0; i < lr_document_model_count(document); i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? " " : "", lr_document_line(document, i));
    }
    return message_error("--line %s: %s has no such line; its lines are: %s", wanted, model, names);
}

int lines_find(const lr_document *document, const char *model, const char *wanted, struct lines *lines)
{
    *lines = (struct lines){0, lr_document_model_count(document)};
    for (int i = 0; wanted && i < lines->end; i++) {
        const char *name = lr_document_line(document, i);
        if (*name && strcmp(name, wanted) == 0) {
            *lines = (struct lines){i, i + 1};
            return EXIT_GOOD;
        }
    }
    return wanted ? complain(document, model, wanted) : EXIT_GOOD;
}
