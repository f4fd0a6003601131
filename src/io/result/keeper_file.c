/* Statepoints in files next to the result: RESULT.state, and the one before it, RESULT.state.old, in case the newest
 * turns out to be damaged. Each is complete or absent. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/structure.h"
#include "io/files/file_set.h"
#include "io/result/model_same.h"
#include "io/result/result_path.h"
#include "io/result/stored_file.h"
#include "model/keeper.h"
#include "model/model_print.h"
#include "model/share.h"

#define STATE_FORMAT "linerad statepoint"
enum { STATE_FORMAT_VERSION = 1 };

static char *name_of(const struct lr_keeper *keeper, const char *ending)
{
    const size_t size = strlen(keeper->path) + strlen(ending) + 1;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s", keeper->path, ending);
    return name;
}

/* ---- writing ---- */

static enum lr_status write_all(struct hdf5_writer *writer, const struct lr_keeper *keeper, const struct stored *state)
{
    hid_t group = -1;
    char print[32];
    snprintf(print, sizeof print, "%016" PRIx64, keeper->print);
    LR_TRY(hdf5_write_text(writer, writer->file, "format", STATE_FORMAT));
    LR_TRY(hdf5_write_integer(writer, writer->file, "format_version", STATE_FORMAT_VERSION));
    LR_TRY(hdf5_write_text(writer, writer->file, "print", print));
    LR_TRY(hdf5_write_group(writer, "/provenance", &group));
    enum lr_status status =
        hdf5_write_text_dataset(writer, group, "model_resolved", keeper->model, "the model with settings applied");
    H5Gclose(group);
    return status == LR_OK ? stored_write(writer, "/state", state, false) : status;
}

static enum lr_status write_file(lr_context *ctx, const struct lr_keeper *keeper, const struct stored *state,
                                 const char *path, const char *old)
{
    struct file_set set = {.ctx = ctx};
    struct hdf5_writer writer;
    enum lr_status status = hdf5_write_open(&set, path, &writer);
    if (status == LR_OK)
        status = hdf5_write_close(&writer, write_all(&writer, keeper, state));
    if (status == LR_OK)
        (void)rename(path, old); /* there may be none */
    return file_set_end(&set, status);
}

/* On a disk that is full, the new one is worth more than the oldest. */
static enum lr_status save(lr_context *ctx, struct lr_keeper *keeper, const struct stored *state)
{
    char *path = name_of(keeper, ".state"), *old = name_of(keeper, ".state.old");
    enum lr_status status = path && old ? LR_OK : lr_fail(ctx, LR_ERROR_MEMORY, "out of memory");
    if (status == LR_OK)
        status = write_file(ctx, keeper, state, path, old);
    if (status == LR_ERROR_IO && access(path, F_OK) == 0 && unlink(old) == 0)
        status = write_file(ctx, keeper, state, path, old);
    keeper->kept |= status == LR_OK;
    free(path);
    free(old);
    return status;
}

/* ---- reading ---- */

/* Whether what the model has read from other files is the same as what this object was made from. */
static bool has_same_print(const struct hdf5_reader *reader, const char *object, const struct lr_keeper *keeper)
{
    char print[32] = "", now[32];
    int n = 0;
    snprintf(now, sizeof now, "%016" PRIx64, keeper->print);
    return hdf5_read_has_attribute(reader, object, "print") &&
           hdf5_read_texts(reader, object, "print", 1, sizeof print, print, &n) == LR_OK && strcmp(print, now) == 0;
}

static enum lr_status check_model(const struct hdf5_reader *reader, const struct lr_keeper *keeper)
{
    char *stored = NULL, *difference = NULL;
    enum lr_status status = hdf5_read_text(reader, "/provenance/model_resolved", &stored);
    if (status == LR_OK)
        status = model_difference(reader->ctx, keeper->model, stored, false, &difference);
    if (status == LR_OK && difference)
        status = lr_fail(reader->ctx, LR_ERROR_INPUT,
                         "%s: the model has changed since: %s; run it without --resume to start over", reader->path,
                         difference);
    if (status == LR_OK && !has_same_print(reader, "/", keeper))
        status = lr_fail(reader->ctx, LR_ERROR_INPUT,
                         "%s: a file that the model reads has changed since; run it without --resume to start over",
                         reader->path);
    free(stored);
    free(difference);
    return status;
}

static enum lr_status read_all(const struct hdf5_reader *reader, struct lr_keeper *keeper, bool *sound)
{
    int version = 0;
    LR_TRY(hdf5_read_integer(reader, "/", "format_version", 1, 1 << 20, &version));
    if (version != STATE_FORMAT_VERSION) {
        *sound = true;
        return lr_fail(reader->ctx, LR_ERROR_INPUT,
                       "%s: a statepoint of format version %d, and this is linerad with version %d; finish the run "
                       "with the version that began it",
                       reader->path, version, STATE_FORMAT_VERSION);
    }
    LR_TRY(stored_read(reader, "/state", &keeper->found));
    *sound = true;
    return check_model(reader, keeper);
}

/* *sound: it could be read, whether or not it can be used. */
static enum lr_status load_file(lr_context *ctx, struct lr_keeper *keeper, const char *path, bool *sound)
{
    struct hdf5_reader reader;
    enum lr_status status;
    *sound = false;
    if (!result_path_says(path, "format", STATE_FORMAT))
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: not a statepoint of linerad", path);
    H5E_BEGIN_TRY
    {
        status = hdf5_read_open(ctx, path, &reader);
        if (status == LR_OK)
            status = read_all(&reader, keeper, sound);
        hdf5_read_close(&reader);
    }
    H5E_END_TRY;
    if (status != LR_OK)
        stored_free(&keeper->found);
    return status;
}

static enum lr_status load(lr_context *ctx, struct lr_keeper *keeper)
{
    static const char *const endings[] = {".state", ".state.old"};
    enum lr_status status = LR_OK;
    bool sound = false;
    for (int i = 0; i < 2 && !sound; i++) {
        char *path = name_of(keeper, endings[i]);
        if (path && access(path, F_OK) == 0) {
            if (status != LR_OK)
                lr_log(ctx, LR_LOG_WARNING, "%s; continuing from the one before it", lr_last_error(ctx));
            status = load_file(ctx, keeper, path, &sound);
        }
        free(path);
    }
    keeper->kept = keeper->found.n > 0;
    return status;
}

/* Removes what killed runs left of writing. */
static void clear_parts(const struct lr_keeper *keeper)
{
    char *path = name_of(keeper, ".state");
    if (path)
        file_set_clear(path);
    free(path);
}

/* ---- the interface ---- */

enum lr_status lr_keeper_create(lr_context *ctx, const lr_model *model, const struct lr_run_options *given,
                                const char *path, int resume, lr_keeper **made)
{
    struct lr_keeper *keeper = NULL;
    struct lr_run_options options = {0};
    *made = NULL;
    LR_TRY(structure_take(ctx, "lr_run_options", given, &options, sizeof options));
    LR_TRY(lr_allocate(ctx, 1, sizeof *keeper, &keeper));
    keeper->save = save;
    keeper->print = model_print(model);
    keeper->packets = model->run.packets;
    keeper->sums = options.parts > 0 || model->output.sums;
    if (options.parts > 0) {
        keeper->first = share_before(model->run.packets, options.part, options.parts);
        keeper->packets = share_before(model->run.packets, options.part + 1, options.parts) - keeper->first;
    }
    enum lr_status status = lr_copy_text(ctx, path, &keeper->path);
    if (status == LR_OK)
        status = lr_copy_text(ctx, model->resolved ? model->resolved : "{}", &keeper->model);
    if (status == LR_OK)
        clear_parts(keeper);
    if (status == LR_OK && resume)
        status = load(ctx, keeper);
    if (status == LR_OK)
        *made = keeper;
    else
        lr_keeper_free(keeper);
    return status;
}

int lr_keeper_found(const lr_keeper *keeper)
{
    return keeper->found.n > 0;
}

/* Fails, and says why, unless the result is complete. */
static enum lr_status check_finished(const struct hdf5_reader *reader, const struct lr_keeper *keeper)
{
    char *stored = NULL, *difference = NULL;
    double packets = -1, finished = -1, first = -1;
    if (!result_path_has_format(reader->file) || hdf5_read_has_attribute(reader, "/", "partial"))
        return lr_fail(reader->ctx, LR_ERROR_INPUT, "%s is not a complete result", reader->path);
    LR_TRY(hdf5_read_any_number(reader, "/summary", "packets_requested", &packets));
    LR_TRY(hdf5_read_any_number(reader, "/summary", "packets", &finished));
    LR_TRY(hdf5_read_any_number(reader, "/provenance", "first_packet", &first));
    if (keeper->sums && !hdf5_read_has(reader, "/sums"))
        return lr_fail(reader->ctx, LR_ERROR_INPUT, "%s is a result without sums", reader->path);
    enum lr_status status = hdf5_read_text(reader, "/provenance/model_resolved", &stored);
    if (status == LR_OK)
        status = model_difference(reader->ctx, keeper->model, stored, false, &difference);
    if (status == LR_OK && !difference && finished < packets) /* it ended when its aim was reached */
        status = model_aim_difference(reader->ctx, keeper->model, stored, &difference);
    if (status == LR_OK && difference)
        status =
            lr_fail(reader->ctx, LR_ERROR_INPUT, "%s is the result of another model: %s", reader->path, difference);
    if (status == LR_OK && first != (double)keeper->first)
        status = lr_fail(reader->ctx, LR_ERROR_INPUT, "%s is the result of another share of the packets", reader->path);
    if (status == LR_OK && packets != (double)keeper->packets)
        status = lr_fail(reader->ctx, LR_ERROR_INPUT, "%s is the result of %.0f packets, not %.0f", reader->path,
                         packets, (double)keeper->packets);
    if (status == LR_OK && !has_same_print(reader, "/provenance", keeper))
        status =
            lr_fail(reader->ctx, LR_ERROR_INPUT, "%s: a file that the model reads has changed since", reader->path);
    free(stored);
    free(difference);
    return status;
}

int lr_keeper_finished(lr_context *ctx, const lr_keeper *keeper)
{
    struct hdf5_reader reader;
    enum lr_status status = LR_ERROR_INPUT;
    if (!result_path_says(keeper->path, "format", RESULT_FORMAT))
        return 0;
    H5E_BEGIN_TRY
    {
        status = hdf5_read_open(ctx, keeper->path, &reader);
        if (status == LR_OK)
            status = check_finished(&reader, keeper);
        hdf5_read_close(&reader);
    }
    H5E_END_TRY;
    if (status != LR_OK)
        lr_log(ctx, LR_LOG_WARNING,
               "%s; there is no statepoint to continue from, so the run starts over and replaces it",
               lr_last_error(ctx));
    return status == LR_OK;
}

int lr_keeper_left(const lr_keeper *keeper)
{
    char *path = name_of(keeper, ".state"), *old = name_of(keeper, ".state.old");
    const int left = path && old && (access(path, F_OK) == 0 || access(old, F_OK) == 0);
    free(path);
    free(old);
    return left;
}

void lr_keeper_remove(lr_keeper *keeper)
{
    char *path = name_of(keeper, ".state"), *old = name_of(keeper, ".state.old");
    if (old)
        unlink(old);
    if (path) {
        unlink(path);
        file_set_clear(path);
    }
    free(path);
    free(old);
}

void lr_keeper_free(lr_keeper *keeper)
{
    if (!keeper)
        return;
    stored_free(&keeper->found);
    free(keeper->path);
    free(keeper->model);
    free(keeper);
}
