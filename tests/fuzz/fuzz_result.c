/* libFuzzer target: a result file with any contents must be read completely, or give a one-line error; so must the
 * scene stored in it. The input is a list of changes (hdf5_edits.h). tests/fuzz/run builds and runs it. Allocations are
 * capped, so that a mesh of 10^9 cells is an error here. */
#define _XOPEN_SOURCE 700
#include "hdf5_edits.h"
#include "linerad.h"

const char *__asan_default_options(void);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=32";
}

static void require_message(lr_context *ctx)
{
    const char *message = lr_last_error(ctx);
    require(message[0] != '\0' && !strchr(message, '\n'));
}

/* The last element of every array must be there. */
static int touch_arrays(const lr_result *result)
{
    int sum = 0;
    const char *name = NULL;
    for (int i = 0; (name = lr_result_array_name(result, i)); i++) {
        struct lr_array array;
        LR_INIT(array);
        require(lr_result_array(result, name, &array) == 1);
        const char *last = array.data;
        bool some = true;
        for (int axis = 0; axis < array.rank; axis++) {
            some = some && array.shape[axis] > 0;
            last += some ? (array.shape[axis] - 1) * array.stride[axis] : 0;
        }
        sum += some ? *last : 0;
    }
    return sum;
}

static int touch_cubes(lr_context *ctx, const lr_result *result)
{
    int sum = 0;
    const char *camera = NULL;
    for (int i = 0; (camera = lr_result_camera(result, i)); i++) {
        lr_cube *cube = NULL;
        if (lr_cube_create(ctx, result, camera, &cube) != LR_OK) {
            require_message(ctx);
            continue;
        }
        struct lr_cube_view view;
        LR_INIT(view);
        lr_cube_describe(cube, &view);
        const size_t n = (size_t)view.n_channel * (size_t)view.n_y * (size_t)view.n_x;
        sum += n > 0 && view.values[n - 1] > 0.0F;
        lr_cube_free(cube);
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int seen = 0;
    lr_context *ctx = lr_context_create();
    lr_result *result = NULL;
    lr_scene *scene = NULL;
    struct lr_summary summary;
    LR_INIT(summary);
    edits_apply(data, size);
    if (lr_result_read(ctx, edits.path, &result) == LR_OK) {
        lr_result_summary(result, &summary);
        seen += touch_arrays(result) + touch_cubes(ctx, result);
        require(seen > -1000000);
    } else {
        require_message(ctx);
        require(!result);
    }
    if (lr_scene_load(ctx, edits.path, NULL, 0, &scene) != LR_OK) {
        require_message(ctx);
        require(!scene);
    }
    lr_scene_free(scene);
    lr_result_free(result);
    lr_context_free(ctx);
    return 0;
}
