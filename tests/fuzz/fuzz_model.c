/* libFuzzer target: any bytes as a model file must load or give a one-line error. A byte 0x01 ends the file; what
 * follows is a setting, as for --set. The resolved text of a model that loads must also load. tests/fuzz/run builds and
 * runs it.
 *
 * Allocations are capped, so that a mesh of 10^9 cells is an error and does not kill the test. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/model/model_load.h"
#include "model/model.h"

const char *__asan_default_options(void);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=32";
}

/* An error is one line of text; a model can be reported and freed. */
static void check(enum lr_status status, lr_context *ctx, lr_model *model)
{
    const char *message = lr_last_error(ctx);
    if (status != LR_OK && (message[0] == '\0' || strchr(message, '\n') || model))
        abort();
    if (status == LR_OK && !model)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 1, size) : NULL;
    size_t length = end ? (size_t)(end - data) : size;
    if (length && memchr(data, 0, length))
        return 0;
    char *setting = end ? calloc(size - length, 1) : NULL;
    if (setting)
        memcpy(setting, end + 1, size - length - 1);
    const char *settings[] = {setting};
    static struct units *units = NULL; /* slow to create, never changed */
    lr_context *ctx = lr_context_create();
    if (!units && units_create(ctx, &units) != LR_OK)
        abort();
    lr_model *model = NULL;
    enum lr_status status =
        model_load_text(ctx, units, "fuzz.yaml", (const char *)data, length, settings, setting ? 1 : 0, &model);
    check(status, ctx, model);
    if (model) {
        lr_model *again = NULL;
        status =
            model_load_text(ctx, units, "resolved.yaml", model->resolved, strlen(model->resolved), NULL, 0, &again);
        if (status == LR_ERROR_INPUT || (again && strcmp(again->resolved, model->resolved) != 0))
            abort();
        lr_model_free(again);
    }
    lr_model_free(model);
    lr_context_free(ctx);
    free(setting);
    return 0;
}
