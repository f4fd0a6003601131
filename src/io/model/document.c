/* Documents in memory: made from a text and settings, changed by further settings, and asked for their lines and the
 * files they read. */
#include "io/model/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/structure.h"
#include "io/model/model_inputs.h"
#include "io/model/model_line_list.h"

void lr_document_free(lr_document *document)
{
    if (!document)
        return;
    for (int i = 0; i < document->n_setting; i++)
        free(document->setting[i]);
    free(document->setting);
    free(document->array);
    free(document->name);
    free(document->folder);
    free(document->text);
    yaml_free(document->tree);
    free(document);
}

static enum lr_status copy_text(lr_context *ctx, const char *text, size_t length, char **copy)
{
    LR_TRY(lr_allocate(ctx, length + 1, 1, copy));
    if (length > 0)
        memcpy(*copy, text, length);
    return LR_OK;
}

/* All but the tree. */
static enum lr_status describe(lr_context *ctx, const char *name, const char *folder, const char *text, size_t length,
                               lr_document *document)
{
    LR_TRY(copy_text(ctx, name, strlen(name), &document->name));
    LR_TRY(copy_text(ctx, folder, strlen(folder), &document->folder));
    return copy_text(ctx, text, length, &document->text);
}

/* Apply further settings, then check the list of lines. */
static enum lr_status apply(lr_context *ctx, const char *const *settings, int n_setting, lr_document *document)
{
    char **texts = realloc(document->setting, ((size_t)document->n_setting + (size_t)n_setting + 1) * sizeof *texts);
    if (!texts)
        return lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", document->name);
    document->setting = texts;
    for (int i = 0; i < n_setting; i++) {
        LR_TRY(copy_text(ctx, settings[i], strlen(settings[i]), &texts[document->n_setting]));
        document->n_setting++;
        LR_TRY(yaml_set(ctx, document->tree, settings[i]));
    }
    return model_lines_check(ctx, document->tree);
}

/* The document, or NULL if making it failed. */
static enum lr_status hand_over(enum lr_status status, lr_document *made, lr_document **document)
{
    if (status != LR_OK)
        lr_document_free(made);
    *document = status == LR_OK ? made : NULL;
    return status;
}

enum lr_status document_create(lr_context *ctx, const char *name, const char *folder, const char *text, size_t length,
                               const char *const *settings, int n_setting, lr_document **document)
{
    lr_document *made = NULL;
    *document = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *made, &made));
    enum lr_status status = describe(ctx, name, folder, text, length, made);
    if (status == LR_OK)
        status = yaml_parse(ctx, name, text, length, &made->tree);
    if (status == LR_OK)
        status = apply(ctx, settings, n_setting, made);
    return hand_over(status, made, document);
}

enum lr_status document_create_beside(lr_context *ctx, const char *path, const char *text, size_t length,
                                      const char *const *settings, int n_setting, lr_document **document)
{
    const char *slash = strrchr(path, '/');
    char *folder = NULL;
    LR_TRY(copy_text(ctx, path, slash ? (size_t)(slash - path) + 1 : 0, &folder));
    const enum lr_status status = document_create(ctx, path, folder, text, length, settings, n_setting, document);
    free(folder);
    return status;
}

enum lr_status lr_document_parse(lr_context *ctx, const char *name, const char *yaml, const char *folder,
                                 const char *const *settings, int n_setting, lr_document **document)
{
    const size_t length = folder ? strlen(folder) : 0;
    char *start = NULL;
    *document = NULL;
    LR_TRY(lr_allocate(ctx, length + 2, 1, &start));
    if (length > 0)
        snprintf(start, length + 2, "%s%s", folder, folder[length - 1] == '/' ? "" : "/");
    const enum lr_status status = document_create(ctx, name, start, yaml, strlen(yaml), settings, n_setting, document);
    free(start);
    return status;
}

enum lr_status lr_document_change(lr_context *ctx, const lr_document *document, const char *const *settings,
                                  int n_setting, lr_document **changed)
{
    lr_document *made = NULL;
    *changed = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *made, &made));
    enum lr_status status =
        describe(ctx, document->name, document->folder, document->text, strlen(document->text), made);
    if (status == LR_OK)
        status = lr_allocate(ctx, (size_t)document->n_setting, sizeof *made->setting, &made->setting);
    for (int i = 0; i < document->n_setting && status == LR_OK; i++, made->n_setting += status == LR_OK)
        status = copy_text(ctx, document->setting[i], strlen(document->setting[i]), &made->setting[i]);
    for (int i = 0; i < document->n_array && status == LR_OK; i++)
        status = lr_document_lend(ctx, made, &document->array[i]);
    if (status == LR_OK)
        status = yaml_copy(ctx, document->tree, &made->tree);
    if (status == LR_OK)
        status = apply(ctx, settings, n_setting, made);
    return hand_over(status, made, changed);
}

enum lr_status lr_document_lend(lr_context *ctx, lr_document *document, const struct lr_array *array)
{
    struct lr_array *arrays = realloc(document->array, ((size_t)document->n_array + 1) * sizeof *arrays);
    if (!arrays)
        return lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", document->name);
    document->array = arrays;
    LR_TRY(structure_take(ctx, "lr_array", array, &arrays[document->n_array], sizeof *arrays));
    document->n_array++;
    return LR_OK;
}

const char *lr_document_text(const lr_document *document)
{
    return document->text;
}

int lr_document_model_count(const lr_document *document)
{
    return model_lines_count(document->tree);
}

const char *lr_document_line(const lr_document *document, int model)
{
    return model_lines_name(document->tree, model);
}

int lr_document_reads(const lr_document *document, const char *file)
{
    return model_inputs_include(document->tree, document->folder, file);
}

/* FNV-1a, with the end of each text. */
static uint64_t print_text(uint64_t print, const char *text)
{
    for (const char *c = text;; c++) {
        print = (print ^ (unsigned char)*c) * 0x100000001b3u;
        if (!*c)
            return print;
    }
}

uint64_t lr_document_print(const lr_document *document, const char *line)
{
    uint64_t print = 0xcbf29ce484222325u;
    if (document->n_array > 0)
        return 0;
    print = print_text(print, document->name);
    print = print_text(print, document->folder);
    print = print_text(print, document->text);
    for (int i = 0; i < document->n_setting; i++)
        print = print_text(print, document->setting[i]);
    return print_text(print, line ? line : "");
}
