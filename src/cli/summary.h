/* The summary of a run, as text and as JSON. */
#ifndef LINERAD_CLI_SUMMARY_H
#define LINERAD_CLI_SUMMARY_H

#include <stdio.h>

#include "json.h"
#include "linerad.h"

/* `cubes` are the names of additional files, one per line. */
void summary_print_text(FILE *file, const lr_result *result, const char *output, const char *cubes);
void summary_print_json(lr_context *ctx, struct json *json, const lr_result *result, const char *output,
                        const char *cubes);
/* Around the summaries of several lines: {"lines": [...]}. */
void summary_open_list(struct json *json);
void summary_close_list(struct json *json);

/* The same for images of an earlier result, where no packets were followed. */
void summary_print_images_text(FILE *file, const struct lr_summary *summary, const char *cubes);
void summary_print_images_json(struct json *json, const struct lr_summary *summary, const char *source,
                               const char *cubes);

#endif
