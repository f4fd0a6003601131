/* Lists of named arrays (model/stored.h) as a group of an HDF5 file. */
#ifndef LR_IO_RESULT_STORED_FILE_H
#define LR_IO_RESULT_STORED_FILE_H

#include "io/hdf5/hdf5_read.h"
#include "io/hdf5/hdf5_write.h"
#include "model/stored.h"

enum lr_status stored_write(struct hdf5_writer *writer, const char *group, const struct stored *list, bool compress);
/* All datasets of the group. */
enum lr_status stored_read(const struct hdf5_reader *reader, const char *group, struct stored *list);

#endif
