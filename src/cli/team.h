/* A command that several processes carry out together (mpirun, srun). Functions return exit codes. */
#ifndef LINERAD_CLI_TEAM_H
#define LINERAD_CLI_TEAM_H

#include "message.h"

/* Joins the other processes, if there are any; all but the first are silent from then on. */
int team_join(lr_context *ctx, enum lr_team_use use, struct console *console);
/* All processes call it: if one has failed, so have all. The first one says why, if it has not done so. */
int team_agree(lr_context *ctx, int code);

#endif
