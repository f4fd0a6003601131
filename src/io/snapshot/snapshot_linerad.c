/* Snapshots in linerad's own format: the file, and what all parts of the reader need. */
#include "io/snapshot/snapshot_linerad.h"

#include "io/hdf5/hdf5_text.h"

enum { VERSION = 1 };

enum lr_status snapshot_linerad_fail(const struct snapshot *snapshot, const char *object, const char *what)
{
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' %s", snapshot->path, object, what);
}

enum lr_status snapshot_linerad_convert(const struct snapshot *snapshot, const struct hdf5_array *array,
                                        const char *name, enum dimension dimension, double *values, size_t n)
{
    if (!array->has_units && (dimension == DIMENSION_NONE || dimension == DIMENSION_ANY))
        return LR_OK;
    if (!array->has_units)
        return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has no attribute 'units'; it needs %s such as '%s'",
                       snapshot->path, name, units_dimension_name(dimension), units_dimension_example(dimension));
    if (units_convert(snapshot->units, array->units, dimension, values, n) == UNIT_OK)
        return LR_OK;
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has units '%s'; expected %s%s%s%s", snapshot->path, name,
                   array->units, units_dimension_name(dimension), dimension == DIMENSION_NONE ? "" : " such as '",
                   units_dimension_example(dimension), dimension == DIMENSION_NONE ? "" : "'");
}

static enum lr_status check_version(const struct snapshot *snapshot, hid_t file)
{
    int version = 0;
    hid_t attribute = H5Aexists(file, "version") > 0 ? H5Aopen(file, "version", H5P_DEFAULT) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    bool good = space >= 0 && hdf5_type_is_number(type) && H5Sget_simple_extent_npoints(space) == 1 &&
                H5Aread(attribute, H5T_NATIVE_INT, &version) >= 0;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
    if (!good)
        return snapshot_linerad_fail(snapshot, "/", "has no attribute 'version', the integer 1");
    return version == VERSION
               ? LR_OK
               : lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: format version %d; this program reads version %d",
                         snapshot->path, version, VERSION);
}

enum lr_status snapshot_open_linerad(struct snapshot *snapshot)
{
    static const struct snapshot_format format = {"linerad model", snapshot_linerad_read, NULL};
    snapshot->format = &format;
    hid_t file = H5Fopen(snapshot->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return snapshot_linerad_fail(snapshot, "/", "cannot be read");
    enum lr_status status = check_version(snapshot, file);
    if (status == LR_OK)
        status = snapshot_linerad_mesh(snapshot, file);
    if (status == LR_OK)
        status = snapshot_linerad_list(snapshot, file);
    H5Fclose(file);
    return status;
}
