/* Damaged HDF5 files can crash the HDF5 library, or keep it busy for ever (seen with 1.10.8). A child process therefore
 * looks through a file first: all groups, attributes, types and shapes, and of each dataset the index of its chunks and
 * a few values, but not all of a large one. Only done for contexts that allow it (lr_context_guard()), and once per
 * file. */
#ifndef LR_IO_HDF5_HDF5_GUARD_H
#define LR_IO_HDF5_HDF5_GUARD_H

#include "base/context.h"

/* Fails if the child dies or takes too long. What else is wrong with the file is left to its readers. */
enum lr_status hdf5_guard(lr_context *ctx, const char *path);

#endif
