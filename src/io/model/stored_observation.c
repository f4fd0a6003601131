#include "io/model/stored_observation.h"

#include <string.h>

#include "io/model/document.h"
#include "io/model/model_options.h"

static enum lr_status check_setting(lr_context *ctx, const char *setting)
{
    const char *const sections[] = {"cameras", "channels", "image"};
    const char *const keys[] = {"run.device", "run.threads", "run.precision"};
    size_t path = strcspn(setting, "="), section = strcspn(setting, ".=");
    for (int i = 0; i < 3; i++) {
        if (section == strlen(sections[i]) && strncmp(setting, sections[i], section) == 0)
            return LR_OK;
        if (path == strlen(keys[i]) && strncmp(setting, keys[i], path) == 0)
            return LR_OK;
    }
    return lr_fail(ctx, LR_ERROR_INPUT,
                   "--set %.*s: that needs a new run; 'linerad image' can change only cameras, channels, image, "
                   "run.device, run.threads and run.precision",
                   path < 80 ? (int)path : 80, setting);
}

enum lr_status read_stored_observation(lr_context *ctx, const struct stored_text *text, const struct observed *seen,
                                       struct run *run, struct observation *out)
{
    struct reader r = {.ctx = ctx, .folder = ""};
    struct observed with_run = *seen;
    lr_document *document = NULL;
    enum lr_status status = LR_OK;
    *out = (struct observation){0};
    with_run.run = run;
    for (int i = 0; i < text->n_setting; i++)
        LR_TRY(check_setting(ctx, text->settings[i]));
    LR_TRY(units_of(ctx, &r.units));
    LR_TRY(document_create(ctx, text->path, "", text->resolved, strlen(text->resolved), text->settings, text->n_setting,
                           &document));
    r.tree = document->tree;
    LR_TRY_OR(done, status, read_run(&r, yaml_find(r.tree->root, "run"), run));
    status = read_observation(&r, &with_run, out);
done:
    lr_document_free(document);
    return status;
}
