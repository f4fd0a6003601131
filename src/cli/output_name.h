/* Names of output files that the user did not name, after the file that a command reads. */
#ifndef LINERAD_CLI_OUTPUT_NAME_H
#define LINERAD_CLI_OUTPUT_NAME_H

/* some/where/slab.yaml -> slab.h5 in the current directory: the name without its folder and without an ending from the
 * NULL-terminated list, followed by `tail`. Freed with free(); NULL after an error line. */
char *output_name(const char *input, const char *const *endings, const char *tail);

#endif
