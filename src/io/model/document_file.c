/* Read a model file from disk, or from anything else that can be read once to its end. */
#include "io/model/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model is a small text; anything larger is something else. */
static enum lr_status read_text(lr_context *ctx, const char *path, char **text, size_t *length)
{
    enum { LARGEST = 64 << 20, CHUNK = 1 << 16 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return lr_fail(ctx, LR_ERROR_IO, "%s: %s", path, strerror(errno));
    size_t size = 0, n = 0;
    enum lr_status status = LR_OK;
    do {
        char *larger = realloc(*text, size + CHUNK);
        if (!larger) {
            status = lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", path);
            break;
        }
        *text = larger;
        n = fread(*text + size, 1, CHUNK, file);
        size += n;
        if (size > LARGEST)
            status = lr_fail(ctx, LR_ERROR_INPUT, "%s: too large for a model file", path);
    } while (n == CHUNK && status == LR_OK);
    if (status == LR_OK && ferror(file))
        status = lr_fail(ctx, LR_ERROR_IO, "%s: %s", path, strerror(errno));
    if (status == LR_OK && memchr(*text, '\0', size))
        status = lr_fail(ctx, LR_ERROR_INPUT, "%s: not a text file", path);
    fclose(file);
    *length = size;
    return status;
}

enum lr_status lr_document_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                                lr_document **document)
{
    char *text = NULL;
    size_t length = 0;
    *document = NULL;
    enum lr_status status = read_text(ctx, path, &text, &length);
    if (status == LR_OK)
        status = document_create_beside(ctx, path, text, length, settings, n_setting, document);
    free(text);
    return status;
}
