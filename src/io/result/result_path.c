#define _XOPEN_SOURCE 700
#include "io/result/result_path.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/output_lock.h"
#include "io/files/output_path.h"
#include "io/hdf5/hdf5_guard.h"

static bool has_text(hid_t file, const char *attribute, const char *wanted)
{
    char *text = NULL;
    hid_t id = H5Aexists(file, attribute) > 0 ? H5Aopen(file, attribute, H5P_DEFAULT) : -1;
    hid_t type = id >= 0 ? H5Aget_type(id) : -1;
    bool same = false;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0 &&
        H5Aread(id, type, &text) >= 0 && text) {
        same = strcmp(text, wanted) == 0;
        H5free_memory(text);
    }
    if (type >= 0)
        H5Tclose(type);
    if (id >= 0)
        H5Aclose(id);
    return same;
}

bool result_path_has_format(hid_t file)
{
    return has_text(file, "format", RESULT_FORMAT);
}

bool result_path_says(const char *path, const char *attribute, const char *text)
{
    H5E_auto2_t report;
    void *report_data;
    H5Eget_auto2(H5E_DEFAULT, &report, &report_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool result = file >= 0 && has_text(file, attribute, text);
    if (file >= 0)
        H5Fclose(file);
    H5Eset_auto2(H5E_DEFAULT, report, report_data);
    return result;
}

static bool is_result(const char *path)
{
    return result_path_says(path, "format", RESULT_FORMAT);
}

static const struct output_kind result_kind = {"linerad result", is_result};

enum lr_status result_path_resolve(lr_context *ctx, const char *path, char **resolved)
{
    LR_TRY(hdf5_guard(ctx, path)); /* an earlier file is opened to see what it is */
    return output_path_resolve(ctx, path, &result_kind, resolved);
}

enum lr_status lr_result_path_check(lr_context *ctx, const char *path)
{
    char *resolved = NULL;
    LR_TRY(result_path_resolve(ctx, path, &resolved));
    enum lr_status status = output_path_try(ctx, resolved);
    free(resolved);
    return status;
}

struct lr_lock {
    struct output_lock lock;
};

enum lr_status lr_lock_take(lr_context *ctx, const char *path, lr_lock **lock)
{
    char *resolved = realpath(path, NULL); /* two links to one file are the same name */
    LR_TRY(lr_allocate(ctx, 1, sizeof **lock, lock));
    (*lock)->lock.fd = -1;
    enum lr_status status = output_lock_take(ctx, resolved ? resolved : path, &(*lock)->lock);
    free(resolved);
    if (status != LR_OK) {
        lr_lock_release(*lock);
        *lock = NULL;
    }
    return status;
}

void lr_lock_release(lr_lock *lock)
{
    if (lock)
        output_lock_release(&lock->lock);
    free(lock);
}
