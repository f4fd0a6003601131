/* The cubes of a result as files of a set. */
#ifndef LR_IO_FITS_CUBE_WRITE_H
#define LR_IO_FITS_CUBE_WRITE_H

#include "io/files/file_set.h"
#include "model/result.h"

/* *paths, if not NULL, lists them, one per line; NULL after an error. *n_replaced counts those that exist already. */
enum lr_status cube_set_write(struct file_set *set, const lr_result *result, const char *prefix, char **paths,
                              int *n_replaced);
/* Logs what there is to say about them, once they have their names. */
void cube_set_report(lr_context *ctx, const lr_result *result, const char *prefix, int n_replaced);

#endif
