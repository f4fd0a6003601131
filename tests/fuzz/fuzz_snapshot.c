/* libFuzzer target: a snapshot with any contents must open and give finite fields, or a one-line error. The input is a
 * list of changes (hdf5_edits.h). tests/fuzz/run builds and runs it. Allocations are capped, so that a mesh of 10^9
 * cells is an error here. */
#define _XOPEN_SOURCE 700
#include "hdf5_edits.h"
#include "io/snapshot/snapshot.h"
#include "model/field.h"

const char *__asan_default_options(void);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=32:detect_leaks=0";
}

static void require_message(lr_context *ctx)
{
    const char *message = lr_last_error(ctx);
    require(message[0] != '\0' && !strchr(message, '\n'));
}

static void read_fields(lr_context *ctx, struct snapshot *snapshot, const struct mesh *mesh)
{
    const struct field_rule rule = {DIMENSION_ANY, false, 0.0, 1e30};
    for (int i = 0; i < snapshot->n_field; i++) {
        struct field field = {0};
        if (snapshot_read(snapshot, i, &rule, &field) == LR_OK) {
            for (int64_t cell = 0; cell < mesh_cell_count(mesh); cell++)
                require(field_at(&field, cell) >= 0.0 && field_at(&field, cell) <= 1e30);
        } else {
            require_message(ctx);
        }
        field_free(&field);
    }
}

static void read_file(lr_context *ctx, const struct units *units, const char *path, const char *scalar)
{
    struct snapshot_options options = {
        .length = 1e18, .density = 1e-20, .velocity = 1e5, .gamma = 1.4, .n_scalar = 1, .scalar = {{.species = "CO"}}};
    strcpy(options.scalar[0].variable, scalar);
    struct snapshot *snapshot = NULL;
    struct mesh mesh = {0};
    if (snapshot_open(ctx, units, path, &options, &snapshot) != LR_OK) {
        require_message(ctx);
        require(!snapshot);
        return;
    }
    const int turned[3] = {2, 0, 1};
    if (snapshot->mesh.kind != MESH_SHELLS)
        snapshot_view_turn(snapshot, turned);
    if (snapshot_view_mesh(snapshot, &mesh) == LR_OK)
        read_fields(ctx, snapshot, &mesh);
    else
        require_message(ctx);
    mesh_free(&mesh);
    snapshot_close(snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct units *units = NULL; /* slow to create, never changed */
    lr_context *ctx = lr_context_create();
    if (!units)
        require(units_create(ctx, &units) == LR_OK);
    edits_apply(data, size);
    read_file(ctx, units, edits.path, "r0");
    read_file(ctx, units, edits.path, "s0");
    lr_context_free(ctx);
    return 0;
}
