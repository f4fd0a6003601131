/* The sections about images once more, from the text of the model that a result keeps. */
#ifndef LR_IO_MODEL_STORED_OBSERVATION_H
#define LR_IO_MODEL_STORED_OBSERVATION_H

#include "io/model/model_observation.h"

struct stored_text {
    const char *path;     /* names it in messages */
    const char *resolved; /* the model as YAML */
    const char *const *settings;
    int n_setting;
};

/* How something stored is run and observed; `run` of what is observed does not matter. Settings may change how images
 * are made and where; any other needs a new run and is an error. The cameras are to be freed even after an error. */
enum lr_status read_stored_observation(lr_context *ctx, const struct stored_text *text, const struct observed *seen,
                                       struct run *run, struct observation *out);

#endif
