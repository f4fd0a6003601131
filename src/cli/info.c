/* linerad info */
#include <stddef.h>

#include "command.h"
#include "linerad.h"
#include "message.h"
#include "options.h"

static const char help[] = "linerad info: version, backends, devices and SIMD width of this machine\n"
                           "\n"
                           "Usage: linerad info\n"
                           "\n"
                           "Options\n"
                           "  -h, --help     this text\n"
                           "\n"
                           "Examples\n"
                           "  linerad info\n"
                           "  linerad info | grep cuda\n"
                           "\n"
                           "Exit codes\n"
                           "  0  done\n"
                           "  2  error: one line on stderr\n";

int command_info(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    for (int option; (option = options_next(argc, argv, ":h", options)) != -1;)
        return option == 'h' ? command_print(help) : EXIT_ERROR;
    if (optind < argc)
        return message_error("unexpected argument '%s'; see 'linerad info --help'", argv[optind]);

    struct console console = console_create(false);
    lr_context *ctx = console_context(&console);
    if (!ctx)
        return EXIT_ERROR;
    char *text = NULL;
    int code = lr_system_report(ctx, &text) == LR_OK ? command_print(text) : message_error("%s", lr_last_error(ctx));
    lr_text_free(text);
    lr_context_free(ctx);
    return code;
}
