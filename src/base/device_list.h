/* Names of devices: "auto", "cpu", "cuda", "cuda:2", "cuda:0,1" and "cuda:all". */
#ifndef LR_BASE_DEVICE_LIST_H
#define LR_BASE_DEVICE_LIST_H

#include <stdbool.h>

enum { MOST_DEVICES = 32, DEVICE_NAME_SIZE = 192 };

/* Numbers of GPUs that work together, in the order given. One that is named twice is opened twice. */
struct device_list {
    bool named, all; /* neither: any one of them */
    int n;
    int number[MOST_DEVICES];
};

/* The GPUs that a name asks for; false unless it is "cuda" or begins with "cuda:", and is well formed. */
bool device_list_read(const char *name, struct device_list *list);
/* "0,1"; a text with room for DEVICE_NAME_SIZE characters. */
void device_list_write(const struct device_list *list, char *text);

#endif
