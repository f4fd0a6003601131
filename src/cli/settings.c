#define _POSIX_C_SOURCE 200809L
#include "settings.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "nearest.h"

/* Takes over `text`. */
static int append(struct settings *settings, char *text)
{
    char **texts = text ? realloc(settings->texts, ((size_t)settings->n + 1) * sizeof *texts) : NULL;
    if (!texts) {
        free(text);
        return message_error("out of memory");
    }
    texts[settings->n++] = text;
    settings->texts = texts;
    return 0;
}

int settings_add(struct settings *settings, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return message_error("--set %s: write path.to.key=value, such as --set run.packets=1e6", text);
    return append(settings, strdup(text));
}

int settings_add_value(struct settings *settings, const char *key, const char *value)
{
    size_t size = strlen(key) + strlen(value) + 2;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s=%s", key, value);
    return append(settings, text);
}

static bool all_digits(const char *text)
{
    text += *text == '-' || *text == '+';
    return *text && strspn(text, "0123456789") == strlen(text);
}

int settings_add_whole(struct settings *settings, const char *option, const char *key, const char *value)
{
    const double largest = 9007199254740992.0; /* 2^53: not all integers beyond it are doubles */
    char digits[32];
    if (all_digits(value)) /* as written: a seed may have more digits than a double */
        return settings_add_value(settings, key, value);
    char *end = NULL;
    double number = strtod(value, &end);
    if (end == value || *end || !(fabs(number) <= largest) || number != floor(number))
        return message_error("%s %s: not a whole number; write it as 1000000 or 1e6", option, value);
    snprintf(digits, sizeof digits, "%.0f", number);
    return settings_add_value(settings, key, digits);
}

int settings_add_choice(struct settings *settings, const char *option, const char *key, const char *value,
                        const char *const *choices)
{
    char list[128] = "";
    for (int i = 0; choices[i]; i++) {
        if (strcmp(value, choices[i]) == 0)
            return settings_add_value(settings, key, value);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", choices[i]);
    }
    const char *meant = nearest_word(value, choices);
    if (meant)
        return message_error("%s %s: did you mean '%s'? The choices are %s", option, value, meant, list);
    return message_error("%s %s: the choices are %s", option, value, list);
}

int settings_add_device(struct settings *settings, const char *value)
{
    static const char *const choices[] = {"auto", "cpu", "cuda", "cuda:N", "cuda:all", NULL};
    const char *number = strncmp(value, "cuda:", 5) == 0 ? value + 5 : "";
    if (*number && strspn(number, "0123456789,") == strlen(number))
        return settings_add_value(settings, "run.device", value);
    if (strncmp(value, "gpu", 3) == 0) /* nearer to cpu by its letters */
        return message_error("--device %s: did you mean 'cuda'? The choices are auto, cpu, cuda, cuda:N, cuda:all",
                             value);
    return settings_add_choice(settings, "--device", "run.device", value, choices);
}

int settings_append(struct settings *settings, struct settings *more)
{
    int code = 0;
    for (int i = 0; i < more->n; i++) {
        if (code == 0)
            code = append(settings, more->texts[i]);
        else
            free(more->texts[i]);
    }
    free(more->texts);
    *more = (struct settings){NULL, 0};
    return code;
}

void settings_free(struct settings *settings)
{
    for (int i = 0; i < settings->n; i++)
        free(settings->texts[i]);
    free(settings->texts);
    *settings = (struct settings){NULL, 0};
}
