#define _XOPEN_SOURCE 700
#include "io/hdf5/hdf5_sink.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* HDF5 sees the first member only. */
struct sink_file {
    H5FD_t base;
    struct hdf5_sink *sink;
    haddr_t allocated; /* end of the addresses allocated by HDF5 */
    haddr_t written;   /* end of what was written */
};

/* Stored in the access list: copied byte by byte, so it holds the pointer, not the sink. */
struct sink_info {
    struct hdf5_sink *sink;
};

static void remember(struct hdf5_sink *sink, int error)
{
    if (!sink->error)
        sink->error = error;
}

static H5FD_t *sink_open(const char *name, unsigned flags, hid_t access, haddr_t max_address)
{
    (void)name;
    (void)flags;
    (void)max_address;
    const struct sink_info *info = H5Pget_driver_info(access);
    struct sink_file *file = info ? calloc(1, sizeof *file) : NULL;
    if (!file)
        return NULL;
    file->sink = info->sink;
    return &file->base;
}

static herr_t sink_close(H5FD_t *base)
{
    free(base);
    return 0;
}

static herr_t sink_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t sink_get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct sink_file *)base)->allocated;
}

static herr_t sink_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((struct sink_file *)base)->allocated = address;
    return 0;
}

static haddr_t sink_get_eof(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct sink_file *)base)->written;
}

static herr_t sink_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer)
{
    (void)type;
    (void)transfer;
    struct hdf5_sink *sink = ((struct sink_file *)base)->sink;
    unsigned char *to = buffer;
    while (size > 0) {
        ssize_t n = pread(sink->fd, to, size, (off_t)address);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            remember(sink, errno);
        if (n <= 0) {
            memset(to, 0, size); /* space allocated but not yet written */
            return 0;
        }
        to += n;
        size -= (size_t)n;
        address += (haddr_t)n;
    }
    return 0;
}

static herr_t sink_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         const void *buffer)
{
    (void)type;
    (void)transfer;
    struct sink_file *file = (struct sink_file *)base;
    const unsigned char *from = buffer;
    if (file->written < address + size)
        file->written = address + size;
    while (size > 0) {
        ssize_t n = pwrite(file->sink->fd, from, size, (off_t)address);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            remember(file->sink, n < 0 ? errno : ENOSPC);
            return 0;
        }
        from += n;
        size -= (size_t)n;
        address += (haddr_t)n;
    }
    return 0;
}

static herr_t sink_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    struct sink_file *file = (struct sink_file *)base;
    if (file->written != file->allocated && ftruncate(file->sink->fd, (off_t)file->allocated) != 0)
        remember(file->sink, errno);
    file->written = file->allocated;
    return 0;
}

static const H5FD_class_t sink_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* from the range that HDF5 reserves for private drivers */
#endif
    .name = "linerad",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(struct sink_info),
    .open = sink_open,
    .close = sink_close,
    .query = sink_query,
    .get_eoa = sink_get_eoa,
    .set_eoa = sink_set_eoa,
    .get_eof = sink_get_eof,
    .read = sink_read,
    .write = sink_write,
    .truncate = sink_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t hdf5_sink_access(struct hdf5_sink *sink)
{
    sink->driver = H5FDregister(&sink_class);
    if (sink->driver < 0) {
        sink->driver = 0;
        return -1;
    }
    const struct sink_info info = {sink};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_driver(access, sink->driver, &info) < 0) {
        H5Pclose(access);
        access = -1;
    }
    return access;
}

void hdf5_sink_release(struct hdf5_sink *sink)
{
    if (sink->driver)
        H5FDunregister(sink->driver);
    sink->driver = 0;
}
