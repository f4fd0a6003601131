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
    "about a second. Nothing is written. Options mean what they mean in 'linerad run'.\n"
    "\n"
    "Options\n"
    "  --line NAME       only this line of the model (all)\n"
    "  --packets N       number of photon packets, such as 1e6 (run.packets of the model, or 100000)\n"
    "  --seed N          random seed (run.seed of the model, or 1)\n"
    "  --threads N       CPU threads, 0 = all (run.threads of the model, or 0)\n"
    "  --device NAME     auto, cpu, cuda, cuda:N, or several GPUs: cuda:0,1 or cuda:all (run.device of the\n"
    "                    model, or auto: the GPU if there is one)\n"
    "  --precision NAME  mixed or double (run.precision of the model, or mixed)\n"
    "  --set KEY=VALUE   set or add a value of the model; repeatable (none)\n"
    "  -h, --help        this text\n"
    "\n"
    "Examples\n"
    "  linerad check slab.yaml --packets 1e6\n"
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

struct request {
    const char *line;
    struct settings settings; /* from --set; the other options come after them and take precedence */
    struct settings short_hands;
    struct switches switches;
};

static int report(const char *path, const struct request *request)
{
    const struct settings *settings = &request->settings;
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
        code = lines_find(document, path, request->line, &lines);
    if (code == EXIT_GOOD)
        code = report_lines(ctx, document, &lines, &console);
    lr_document_free(document);
    lr_context_free(ctx);
    return code;
}

static int read_option(void *user, int option)
{
    struct request *request = user;
    if (option == 's')
        return settings_add(&request->settings, optarg);
    if (option != 'l')
        return options_add_setting(&request->short_hands, option);
    request->line = optarg;
    return EXIT_GOOD;
}

static int check(int argc, char **argv, struct request *request)
{
    static const struct option list[] = {{"line", required_argument, NULL, 'l'},
                                         {"set", required_argument, NULL, 's'},
                                         OPTIONS_OF_RUNS,
                                         {"help", no_argument, NULL, 'h'},
                                         {NULL, 0, NULL, 0}};
    const struct options options = {":h", list, read_option};
    const int code = options_read(argc, argv, &options, request, &request->switches);
    if (code != EXIT_GOOD)
        return code;
    if (request->switches.help)
        return command_print(help);
    const char *path = options_single(argc, argv, "model");
    if (!path || settings_append(&request->settings, &request->short_hands))
        return EXIT_ERROR;
    return report(path, request);
}

int command_check(int argc, char **argv)
{
    struct request request = {.line = NULL};
    const int code = check(argc, argv, &request);
    settings_free(&request.settings);
    settings_free(&request.short_hands);
    return code;
}
