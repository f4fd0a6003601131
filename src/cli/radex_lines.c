/* Which lines `linerad radex` prints: the first ones, or those in a range of frequencies. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "linerad_tools.h"
#include "message.h"
#include "radex.h"

static bool is_whole(const char *text, long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtol(text, &end, 10);
    return end != text && !*end && !errno;
}

/* "80:400 GHz" is read as the list "80,400 GHz". */
static int read_range(lr_context *ctx, const char *text, double range[2])
{
    char copy[128] = "";
    double *values = NULL;
    int n = 0;
    if (strlen(text) < sizeof copy)
        memcpy(copy, text, strlen(text) + 1);
    char *colon = strchr(copy, ':');
    if (!colon)
        return message_error("--lines '%s': write a number of lines, or a range such as '80:400 GHz'", text);
    *colon = ',';
    if (lr_values_parse(ctx, copy, LR_IN_GHZ, &values, &n) != LR_OK)
        return message_error("--lines: %s", lr_last_error(ctx));
    const bool good = n == 2 && values[0] < values[1];
    if (good)
        memcpy(range, values, 2 * sizeof *range);
    lr_values_free(values);
    return good ? EXIT_GOOD
                : message_error("--lines '%s': write a number of lines, or a range such as '80:400 GHz'", text);
}

int radex_choose_lines(const struct radex_request *request, struct radex_block *block)
{
    const char *text = request->lines;
    double range[2] = {0.0, HUGE_VAL};
    long most = block->n_line;
    if (text && !is_whole(text, &most)) {
        most = block->n_line;
        if (read_range(request->ctx, text, range) != EXIT_GOOD)
            return EXIT_ERROR;
    }
    for (int i = 0; i < block->n_line && block->n_shown < most; i++) {
        struct lr_line line;
        LR_INIT(line);
        lr_molecule_line(block->molecule, i, &line);
        if (line.frequency >= range[0] && line.frequency <= range[1])
            block->shown[block->n_shown++] = i;
    }
    if (block->n_shown == 0)
        return message_error("--lines '%s' selects no lines", text ? text : "");
    return EXIT_GOOD;
}
