/* linerad run --packet ID --trace */
#ifndef LINERAD_CLI_RUN_TRACE_H
#define LINERAD_CLI_RUN_TRACE_H

#include "message.h"
#include "run_request.h"

/* Prints the history of one packet of a request that is open. Returns an exit code. */
int run_trace(lr_context *ctx, const struct run_request *request, struct console *console);

#endif
