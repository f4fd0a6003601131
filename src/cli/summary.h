/* The numbers of a run, for people and for programs. */
#ifndef LINERAD_CLI_SUMMARY_H
#define LINERAD_CLI_SUMMARY_H

#include <stdio.h>

#include "linerad.h"

void summary_print_text(FILE *file, const struct lr_summary *summary, const char *output);
void summary_print_json(FILE *file, const struct lr_summary *summary, const char *output);

#endif
