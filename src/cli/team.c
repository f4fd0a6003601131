#include "team.h"

#include "command.h"

int team_join(lr_context *ctx, enum lr_team_use use, struct console *console)
{
    const enum lr_status status = lr_team_join(ctx, use);
    const bool helps = lr_team_rank(use == LR_TEAM_OFF || status == LR_OK ? ctx : NULL) > 0;
    message_silence(helps);
    console->quiet |= helps;
    return status == LR_OK ? EXIT_GOOD : message_error("%s", lr_last_error(ctx));
}

int team_agree(lr_context *ctx, int code)
{
    const enum lr_status own = code == EXIT_GOOD ? LR_OK : code == EXIT_STOPPED ? LR_ERROR_INTERRUPTED : LR_ERROR_INPUT;
    const enum lr_status all = lr_team_agree(ctx, own);
    if (all == LR_OK || code != EXIT_GOOD)
        return code;
    return all == LR_ERROR_INTERRUPTED ? EXIT_STOPPED : message_error("%s", lr_last_error(ctx));
}
