/* linerad check */
#include <stddef.h>
#include <stdio.h>

#include "command.h"
#include "linerad.h"
#include "lines.h"
#include "message.h"
#include "options.h"
#include "settings.h"

static const char help[] =
    "linerad check: validate a model and print how it was understood\n"
    "\n"
    "Usage: linerad check MODEL.yaml [options]\n"
    "\n"
    "Prints the mesh, the line, the range of every field, optical depths and sources in physical units, and what the\n"
    "run will cost: scatterings per packet, time and memory. For that it follows the first packets of the run for\n"
    "about a second. Nothing is written.\n"
    "\n"
    "Options\n"
    "  --line NAME       only this line of the model (all)\n"
    "  --set KEY=VALUE   set or add a value of the model; repeatable (none)\n"
    "  -h, --help        this text\n"
    "\n"
    "Examples\n"
    "  linerad check slab.yaml\n"
    "  linerad check slab.yaml --set medium.tau_mean=1e6 --set 'medium.temperature=100 K'\n"
    "\n"
    "Units\n"
    "  Every dimensional value has a unit (2 pc, 1e4 K, 10 km/s). tau_centre is the optical depth at line\n"
    "  centre without H(a,0); tau_mean = sqrt(pi) tau_centre. x = (nu - nu0) / nu_D, in Doppler units; x > 0 is\n"
    "  blue.\n"
    "\n"
    "Exit codes\n"
    "  0  the model is valid\n"
    "  2  error: one line on stderr with the file and position\n";

static int report_model(lr_context *ctx, const lr_document *document, const char *line)
{
    lr_model *model = NULL;
    char *text = NULL;
    int code = EXIT_GOOD;
    if (lr_model_create(ctx, document, line, &model) || lr_model_report(ctx, model, &text))
        code = message_error("%s", lr_last_error(ctx));
    else
        code = command_print(text);
    lr_text_free(text);
    lr_model_free(model);
    return code;
}

/* Each line under its name, where there are several. */
static int report_lines(lr_context *ctx, const lr_document *document, const struct lines *lines,
                        struct console *console)
{
    int code = EXIT_GOOD;
    for (int i = lines->first; i < lines->end && code == EXIT_GOOD; i++) {
        char title[96];
        console->line = lr_document_line(document, i);
        snprintf(title, sizeof title, "%s== line %s ==\n", i == lines->first ? "" : "\n", console->line);
        code = *console->line ? command_print(title) : EXIT_GOOD;
        if (code == EXIT_GOOD)
            code = report_model(ctx, document, console->line);
        console->line = NULL;
    }
    return code;
}

static int report(const char *path, const struct settings *settings, const char *wanted)
{
    struct console console = console_create(false);
    lr_context *ctx = console_context(&console);
    if (!ctx)
        return EXIT_ERROR;
    struct lines lines;
    lr_document *document = NULL;
    int code = EXIT_GOOD;
    if (lr_document_load(ctx, path, (const char *const *)settings->texts, settings->n, &document))
        code = message_error("%s", lr_last_error(ctx));
    else
        code = lines_find(document, path, wanted, &lines);
    if (code == EXIT_GOOD)
        code = report_lines(ctx, document, &lines, &console);
    lr_document_free(document);
    lr_context_free(ctx);
    return code;
}

int command_check(int argc, char **argv)
{
    static const struct option options[] = {{"line", required_argument, NULL, 'l'},
                                            {"set", required_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *line = NULL;
    struct settings settings = {NULL, 0};
    int code = EXIT_GOOD;
    for (int option; code == EXIT_GOOD && (option = options_next(argc, argv, ":h", options)) != -1;) {
        if (option == 'h') {
            settings_free(&settings);
            return command_print(help);
        }
        line = option == 'l' ? optarg : line;
        code = option == 's' ? settings_add(&settings, optarg) : option == 'l' ? EXIT_GOOD : EXIT_ERROR;
    }
    const char *path = code == EXIT_GOOD ? options_single(argc, argv, "model") : NULL;
    code = path ? report(path, &settings, line) : EXIT_ERROR;
    settings_free(&settings);
    return code;
}
