/* Messages from other layers, which do not know the position in the document that they refer to. */
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
