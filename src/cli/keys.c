/* linerad keys */
#include <stdbool.h>
#include <stddef.h>

#include "command.h"
#include "linerad_tools.h"
#include "message.h"
#include "options.h"

static const char help[] =
    "linerad keys: the keys of a model file\n"
    "\n"
    "Usage: linerad keys                        list the sections of a model and the mappings in them\n"
    "       linerad keys SECTION [options]      the keys of one section\n"
    "       linerad keys SECTION.KEY [options]  one key\n"
    "\n"
    "Prints, for every key, the type of its value (with an example unit), its default and its meaning. These are the\n"
    "tables that models are checked against.\n"
    "\n"
    "Options\n"
    "  --markdown     print a table in Markdown\n"
    "  -h, --help     this text\n"
    "\n"
    "Examples\n"
    "  linerad keys medium\n"
    "  linerad keys sources.point\n"
    "  linerad keys run.packets\n"
    "\n"
    "Units\n"
    "  Every dimensional value has a unit, any that UDUNITS knows: 2 pc, 6e18 cm, 1e4 K, 10 km/s.\n"
    "  A 'field' is a single value, or one per cell: {file: F, dataset: D}, or a default with regions (keys field).\n"
    "  A 'frequency' is a plain number x in Doppler units (blue > 0), a velocity (red > 0), or a value in Hz.\n"
    "\n"
    "Exit codes\n"
    "  0  done\n"
    "  2  error: one line on stderr that names the nearest section\n";

static int print_keys(const char *section, enum lr_format format)
{
    lr_context *ctx = lr_context_create();
    if (!ctx)
        return message_error("out of memory");
    char *text = NULL;
    const enum lr_status status = lr_model_keys(ctx, section, format, &text);
    const int code = status == LR_OK ? command_print(text) : message_error("%s", lr_last_error(ctx));
    lr_text_free(text);
    lr_context_free(ctx);
    return code;
}

int command_keys(int argc, char **argv)
{
    static const struct option options[] = {
        {"markdown", no_argument, NULL, 'm'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    enum lr_format format = LR_TERMINAL;
    for (int option; (option = options_next(argc, argv, ":h", options)) != -1;) {
        if (option == 'h')
            return command_print(help);
        if (option != 'm')
            return EXIT_ERROR;
        format = LR_MARKDOWN;
    }
    if (optind == argc)
        return print_keys(NULL, format);
    const char *section = options_single(argc, argv, "section");
    return section ? print_keys(section, format) : EXIT_ERROR;
}
