/* linerad molecule */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "command.h"
#include "linerad.h"
#include "message.h"
#include "molecule_json.h"
#include "options.h"

static const char help[] =
    "linerad molecule: levels, lines and collision partners of a molecule, atom or ion\n"
    "\n"
    "Usage: linerad molecule FILE [options]    a file in LAMDA format\n"
    "       linerad molecule NAME [options]    a built-in molecule\n"
    "       linerad molecule                   list the built-in molecules\n"
    "\n"
    "Prints every level (label, energy, weight), every line (frequency, wavelength, Einstein A, energy of the upper\n"
    "level, critical density for each collision partner), and the partners with their temperature range, number of\n"
    "rates and reference. The critical density is n_crit = A_ul / SUM_j k_uj: spontaneous emission in the line over\n"
    "all downward collisions from its upper level.\n"
    "\n"
    "Options\n"
    "  --temperature T   of the gas, in K, for critical densities (20)\n"
    "  --json            the same as JSON, energies in K above the lowest level; levels are counted from 1\n"
    "  -h, --help        this text\n"
    "\n"
    "Examples\n"
    "  linerad molecule co.dat --temperature 50\n"
    "  linerad molecule hco+\n"
    "  linerad molecule hcn@hfs.dat --json > hcn.json\n"
    "\n"
    "Units\n"
    "  Frequencies are in GHz, energies in cm^-1 and in K, A in s^-1, densities in cm^-3. The zero of energy is that "
    "of\n"
    "  the file.\n"
    "\n"
    "Exit codes\n"
    "  0  done\n"
    "  2  error: one line on stderr with the file and line number\n";

static int report(const char *name, double temperature, bool as_json)
{
    struct console console = console_create(false);
    lr_context *ctx = console_context(&console);
    if (!ctx)
        return EXIT_ERROR;
    lr_molecule *molecule = NULL;
    char *text = NULL;
    enum lr_status status = name ? lr_molecule_load(ctx, name, &molecule) : lr_molecule_names(ctx, &text);
    if (status == LR_OK && name && as_json)
        molecule_put_json(stdout, molecule, temperature);
    else if (status == LR_OK && name)
        status = lr_molecule_report(ctx, molecule, temperature, &text);
    int code = status == LR_OK ? command_print(text ? text : "") : message_error("%s", lr_last_error(ctx));
    lr_text_free(text);
    lr_molecule_free(molecule);
    lr_context_free(ctx);
    return code;
}

static int read_temperature(const char *text, double *temperature)
{
    char *end = NULL;
    *temperature = strtod(text, &end);
    if (end == text || *end || !isfinite(*temperature) || *temperature <= 0.0)
        return message_error("--temperature '%s' is not a temperature in K above zero; write for example 20", text);
    return EXIT_GOOD;
}

int command_molecule(int argc, char **argv)
{
    static const struct option options[] = {{"temperature", required_argument, NULL, 't'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    double temperature = 20.0;
    bool as_json = false;
    for (int option; (option = options_next(argc, argv, ":h", options)) != -1;) {
        if (option == 'h')
            return command_print(help);
        if (option == 'j')
            as_json = true;
        else if (option != 't' || read_temperature(optarg, &temperature) != EXIT_GOOD)
            return EXIT_ERROR;
    }
    if (optind == argc)
        return as_json ? message_error("--json needs a molecule: a file or a name") : report(NULL, temperature, false);
    const char *name = options_single(argc, argv, "molecule");
    return name ? report(name, temperature, as_json) : EXIT_ERROR;
}
