/* The settings "path.to.key=value" that go with a model: those of --set, then those of options that abbreviate one,
 * such as --packets 1e6 for run.packets=1000000. */
#ifndef LINERAD_CLI_SETTINGS_H
#define LINERAD_CLI_SETTINGS_H

struct settings {
    char **texts;
    int n;
};

/* Each returns 0, or prints one error line and returns EXIT_ERROR. */
int settings_add(struct settings *settings, const char *text);
int settings_add_value(struct settings *settings, const char *key, const char *value);
/* `option` is the name used in errors; the value is an integer, as 1000000 or 1e6. */
int settings_add_whole(struct settings *settings, const char *option, const char *key, const char *value);
/* The value is one of a NULL-terminated list. */
int settings_add_choice(struct settings *settings, const char *option, const char *key, const char *value,
                        const char *const *choices);
/* run.device: auto, cpu, cuda, cuda:N, cuda:all or a list such as cuda:0,1. */
int settings_add_device(struct settings *settings, const char *value);
/* Appends the texts of `more`, which is left empty. */
int settings_append(struct settings *settings, struct settings *more);
void settings_free(struct settings *settings);

#endif
