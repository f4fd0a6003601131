/* linerad check */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
    "Prints the mesh, the line, the range of every field, optical depths and sources in physical units, the\n"
    "expected scatterings per packet, the memory needed and a time estimate. Nothing is run or written.\n"
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

static int report_line(lr_context *ctx, const char *path, const struct settings *settings, const char *line)
{
    lr_model *model = NULL;
    char *text = NULL;
    int code = EXIT_GOOD;
    if (lr_model_load_line(ctx, path, (const char *const *)settings->texts, settings->n, line, &model) ||
        lr_model_report(ctx, model, &text))
        code = message_error("%s", lr_last_error(ctx));
    else
        code = command_print(text);
    lr_text_free(text);
    lr_model_free(model);
    return code;
}

static int report(const char *path, const struct settings *settings, const char *wanted)
{
    lr_context *ctx = lr_context_create();
    if (!ctx)
        return message_error("out of memory");
    struct console console = console_create(false);
    lr_context_on_log(ctx, console_log, &console);
    char *names = NULL;
    int code = lines_find(ctx, path, settings, wanted, &names);
    for (const char *name = names; name && code == EXIT_GOOD;) {
        char line[64], title[96];
        const size_t length = strcspn(name, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, name);
        snprintf(title, sizeof title, "%s== line %s ==\n", name == names ? "" : "\n", line);
        console.line = line;
        code = *names ? command_print(title) : EXIT_GOOD;
        if (code == EXIT_GOOD)
            code = report_line(ctx, path, settings, line);
        console.line = NULL;
        name = name[length] == '\n' ? name + length + 1 : NULL;
    }
    lr_text_free(names);
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
