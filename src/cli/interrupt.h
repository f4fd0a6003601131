/* Ctrl-C, termination and the end of a terminal: the first signal asks the run to stop, the second kills it. */
#ifndef LINERAD_CLI_INTERRUPT_H
#define LINERAD_CLI_INTERRUPT_H

#include <stdbool.h>

#include "linerad.h"

/* From now until interrupt_release(), signals stop the run of this context. */
void interrupt_catch(lr_context *ctx);
void interrupt_release(void);
bool interrupt_happened(void);
/* Until then, a wish for a statepoint is no reason to die. */
void interrupt_prepare(void);
/* Stop as if by a signal after this time. */
void interrupt_after(double seconds);

#endif
