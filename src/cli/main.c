/* linerad: finds the command, and answers --help and --version. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "linerad.h"
#include "message.h"
#include "nearest.h"

static const char help[] =
    "linerad: Monte Carlo transport of spectral-line photons\n"
    "\n"
    "Usage: linerad COMMAND [options]\n"
    "\n"
    "Commands\n"
    "  run MODEL      follow photon packets through a model, and write the escaped spectrum and channel maps\n"
    "  image RESULT   make more channel maps from a result: other pixels, field, channels, unit or beam\n"
    "  merge RESULTS  add up the results of parts of a run, or of runs with other seeds\n"
    "  plot RESULT    plot a result, with the Python package\n"
    "  view RESULT    write an interactive page of cubes (HTML), with the Python package\n"
    "  check MODEL    validate a model and print how it was understood, without running it\n"
    "  keys SECTION   list the keys of a model file: types, units, defaults\n"
    "  molecule NAME  levels, lines and collision partners of a LAMDA file or a built-in molecule\n"
    "  radex NAME     level populations and lines of a uniform parcel of gas, by escape probability\n"
    "  cloud          make a turbulent test cloud of H2, CO and OH\n"
    "  info           version, backends, devices and SIMD width\n"
    "\n"
    "Options\n"
    "  -h, --help     this text; 'linerad COMMAND --help' for one command\n"
    "  --version      the version\n"
    "\n"
    "Examples\n"
    "  linerad check slab.yaml\n"
    "  linerad run slab.yaml --packets 1e6 -o slab.h5\n"
    "  linerad image slab.h5 --pixels 512 --unit Jy/sr -o fine\n"
    "  linerad plot slab.h5\n"
    "  linerad view cloud.h5 --open\n"
    "\n"
    "Conventions\n"
    "  A model is a YAML file; every dimensional value has a unit (2 pc, 1e4 K, 10 km/s).\n"
    "  Frequencies are x = (nu - nu0) / nu_D, in Doppler units; x > 0 is blue, so velocity v = -x b.\n"
    "\n"
    "Exit codes\n"
    "  0  done\n"
    "  2  error: one line on stderr, nothing overwritten\n"
    "  130  stopped by Ctrl-C; what was finished is saved\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"run", command_run},     {"image", command_image},       {"merge", command_merge},
                {"plot", command_plot},   {"view", command_view},         {"check", command_check},
                {"keys", command_keys},   {"molecule", command_molecule}, {"radex", command_radex},
                {"cloud", command_cloud}, {"info", command_info}};

static int unknown(const char *word)
{
    static const char *const names[] = {"run",      "image", "merge", "plot", "view",   "check",     "keys",
                                        "molecule", "radex", "cloud", "info", "--help", "--version", NULL};
    const char *kind = word[0] == '-' ? "option" : "command";
    const char *meant = nearest_word(word, names);
    if (meant)
        return message_error("unknown %s '%s'; did you mean '%s'? See 'linerad --help'", kind, word, meant);
    return message_error("unknown %s '%s'; see 'linerad --help'", kind, word);
}

int command_print(const char *text)
{
    if (fputs(text, stdout) == EOF || fflush(stdout) != 0 || ferror(stdout))
        return message_error("cannot write to standard output");
    return EXIT_GOOD;
}

static int print_version(void)
{
    char text[64];
    snprintf(text, sizeof text, "linerad %s\n", lr_version());
    return command_print(text);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* exceeding a file-size limit is then an error with a message, like a full disk */
    if (argc < 2)
        return message_error("no command given; see 'linerad --help'");
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return command_print(help);
    if (strcmp(word, "--version") == 0)
        return print_version();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(word, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return unknown(word);
}
