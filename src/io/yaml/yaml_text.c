/* Input accepted by the YAML parser: UTF-8 without directives. libfyaml 0.7 does not return from a directive line with
 * broken UTF-8 in it; and Latin-1 text gets a message that names the line. */
#include "io/yaml/yaml_tree.h"

#include <string.h>

/* Length of the well-formed UTF-8 sequence at `at`, or 0 (Unicode 15, table 3-7). */
static size_t sequence_length(const unsigned char *at, size_t left)
{
    size_t n = 0;
    if (at[0] < 0x80)
        n = 1;
    else if (at[0] >= 0xC2 && at[0] < 0xE0)
        n = 2;
    else if (at[0] >= 0xE0 && at[0] < 0xF0)
        n = 3;
    else if (at[0] >= 0xF0 && at[0] < 0xF5)
        n = 4;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
    bool surrogate = at[0] == 0xED && at[1] >= 0xA0, beyond = at[0] == 0xF4 && at[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : n;
}

enum lr_status yaml_check_text(lr_context *ctx, const char *label, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    int line = 1;
    bool line_start = true;
    for (size_t i = 0, n = 0; i < length; i += n) {
        n = sequence_length(bytes + i, length - i);
        if (n == 0 || bytes[i] == '\0')
            return lr_fail(ctx, LR_ERROR_INPUT, "%s:%d: not UTF-8 text", label, line);
        if (line_start && bytes[i] == '%')
            return lr_fail(ctx, LR_ERROR_INPUT, "%s:%d: a line must not begin with '%%'", label, line);
        line_start = bytes[i] == '\n' || bytes[i] == '\r';
        line += bytes[i] == '\n';
    }
    return LR_OK;
}
