/* An HDF5 file driver over a descriptor that is already open, made for one purpose: surviving a full disk.
 *
 * When HDF5's own driver cannot write, H5Fclose() fails, the file stays open, and the library crashes at exit (seen
 * with 1.10.8). This driver remembers the first failure, reports success to HDF5 so that it closes and frees
 * everything, and leaves it to the caller to check `error` and remove the file. */
#ifndef LR_IO_HDF5_HDF5_SINK_H
#define LR_IO_HDF5_HDF5_SINK_H

#include <hdf5.h>

struct hdf5_sink {
    int fd;       /* open for reading and writing, empty; stays open when HDF5 closes the file */
    int error;    /* errno of the first failure, or 0 */
    hid_t driver; /* as registered with HDF5; 0 if it is not */
};

/* A file access list for H5Fcreate() that writes to *sink, which must outlive the file; negative on failure. The
 * file is closed together with everything in it. */
hid_t hdf5_sink_access(struct hdf5_sink *sink);

/* To be called when the file and the list are closed. HDF5 (seen with 1.10.8) gives up its own reference to the driver
 * before it calls the driver to close the file, so this one must still be there. */
void hdf5_sink_release(struct hdf5_sink *sink);

#endif
