#include "base/device_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 3 };

bool device_list_read(const char *name, struct device_list *list)
{
    *list = (struct device_list){0};
    if (strcmp(name, "cuda") == 0)
        return true;
    if (strncmp(name, "cuda:", 5) != 0)
        return false;
    list->all = strcmp(name + 5, "all") == 0;
    list->named = !list->all;
    for (const char *text = name + 5; !list->all;) {
        size_t digits = 0;
        while (isdigit((unsigned char)text[digits]))
            digits++;
        if (digits == 0 || digits > MOST_DIGITS || list->n == MOST_DEVICES)
            return false;
        list->number[list->n++] = (int)strtol(text, NULL, 10);
        text += digits;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
    return true;
}

void device_list_write(const struct device_list *list, char *text)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < list->n && used < DEVICE_NAME_SIZE; i++)
        used += (size_t)snprintf(text + used, DEVICE_NAME_SIZE - used, "%s%d", i > 0 ? "," : "", list->number[i]);
}
