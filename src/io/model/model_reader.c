/* Messages of other layers, which do not know where in the document they come from. */
#include "io/model/model_reader.h"

#include <string.h>

enum lr_status place_error(const struct reader *r, const struct yaml_node *node, enum lr_status status)
{
    if (status == LR_OK || status == LR_ERROR_MEMORY)
        return status;
    char message[sizeof r->ctx->error];
    memcpy(message, r->ctx->error, sizeof message);
    READER_FAIL(r, node, "%s", message);
    return status;
}
