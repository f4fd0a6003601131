#define _GNU_SOURCE
#include "options.h"

#include <stdbool.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "nearest.h"

enum { MAX_OPTION = 24 };

static void complain(char **argv, const char *word, const struct option *list)
{
    const char *names[MAX_OPTION + 1] = {NULL};
    char name[64];
    const char *long_name = strncmp(word, "--", 2) == 0 ? word + 2 : word + 1;
    size_t length = strcspn(long_name, "=");
    for (int i = 0; i < MAX_OPTION && list[i].name; i++)
        names[i] = list[i].name;
    const char *meant = NULL;
    if (length < sizeof name) {
        memcpy(name, long_name, length);
        name[length] = '\0';
        meant = nearest_word(name, names);
    }
    if (meant)
        message_error("unknown option '%s'; did you mean '--%s'? See 'linerad %s --help'", word, meant, argv[0]);
    else
        message_error("unknown option '%s'; see 'linerad %s --help'", word, argv[0]);
}

/* Whether the word is one of the long options, written out: getopt_long() also accepts abbreviations, whose meaning
 * could change when a similar option is added. */
static bool is_written_out(const char *word, const struct option *list)
{
    if (strncmp(word, "--", 2) != 0)
        return true;
    const size_t length = strcspn(word + 2, "=");
    for (; list->name; list++)
        if (strlen(list->name) == length && strncmp(list->name, word + 2, length) == 0)
            return true;
    return false;
}

/* The word that getopt_long() has just read as an option: the last but one if its value is a separate word. */
static const char *last_word(char **argv)
{
    return argv[optarg && optarg == argv[optind - 1] ? optind - 2 : optind - 1];
}

int options_next(int argc, char **argv, const char *brief, const struct option *list)
{
    opterr = 0;
    int index = optind;
    int option = getopt_long(argc, argv, brief, list, NULL);
    if (option != -1 && option != '?' && !is_written_out(last_word(argv), list)) {
        complain(argv, last_word(argv), list);
        return '?';
    }
    if (option == ':') {
        message_error("option '%s' needs a value; see 'linerad %s --help'", argv[optind - 1], argv[0]);
        return '?';
    }
    if (option == '?') {
        /* optopt is the letter of a bad short option, the code of a long one given a value it does not take, or 0. */
        char letter[] = {'-', (char)optopt, '\0'};
        const char *word = argv[optind > index ? optind - 1 : index];
        const char *equals = strchr(word, '=');
        if (optopt && equals && strncmp(word, "--", 2) == 0)
            message_error("option '%.*s' takes no value; see 'linerad %s --help'", (int)(equals - word), word, argv[0]);
        else
            complain(argv, optopt && strncmp(word, "--", 2) != 0 && strlen(word) <= 2 ? letter : word, list);
    }
    return option;
}

int options_read(int argc, char **argv, const struct options *options, void *request, struct switches *switches)
{
    for (int option; !switches->help && (option = options_next(argc, argv, options->brief, options->list)) != -1;) {
        int code = EXIT_GOOD;
        if (option == 'j' && optarg && strcmp(optarg, "line") != 0)
            code = message_error("--json=%s: write --json, or --json=line for a single line", optarg);
        else if (option == 'j') {
            switches->json = true;
            switches->one_line = optarg != NULL;
        } else if (option == 'q')
            switches->quiet = true;
        else if (option == 'h')
            switches->help = true;
        else
            code = options->read(request, option);
        if (code != EXIT_GOOD)
            return code;
    }
    return EXIT_GOOD;
}

int options_add_setting(struct settings *short_hands, int option)
{
    static const char *const precisions[] = {"mixed", "double", NULL};
    switch (option) {
    case 'n':
        return settings_add_whole(short_hands, "--packets", "run.packets", optarg);
    case 'r':
        return settings_add_whole(short_hands, "--seed", "run.seed", optarg);
    case 't':
        return settings_add_whole(short_hands, "--threads", "run.threads", optarg);
    case 'd':
        return settings_add_device(short_hands, optarg);
    case 'p':
        return settings_add_choice(short_hands, "--precision", "run.precision", optarg, precisions);
    default:
        return EXIT_ERROR;
    }
}

const char *options_single(int argc, char **argv, const char *what)
{
    if (optind == argc)
        message_error("no %s given; see 'linerad %s --help'", what, argv[0]);
    else if (optind < argc - 1)
        message_error("only one %s can be given; unexpected '%s'", what, argv[optind + 1]);
    else
        return argv[optind];
    return NULL;
}
