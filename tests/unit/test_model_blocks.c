/* A model in one piece of memory, read back at another address as another process sees it: the same model, whose large
 * arrays stay in that memory. */
#include "model/model_blocks.h"
#include "model/model_print.h"
#include "model/species.h"
#include "model_fixture.h"

#define SPHERE "regions: [{sphere: {centre: [0 pc, 0 pc, 0 pc], radius: 0.4 pc}, value: "
#define MESH "mesh: {cells: [24, 24, 24], size: [2 pc, 2 pc, 2 pc]}\n"

static const char LYMAN_ALPHA[] =
    MESH "line: lya\n"
         "medium:\n"
         "  temperature: {default: 1e4 K, " SPHERE "2e4 K}]}\n"
         "  density: {default: 1e-3 cm^-3, " SPHERE "1e-2 cm^-3}]}\n"
         "sources:\n"
         "  - point: {position: [0 pc, 0 pc, 0 pc]}\n"
         "    spectrum: {table: {shift: [-10 km/s, 0 km/s, 10 km/s], density: [0, 1, 0]}}\n"
         "    luminosity: 1 photon/s\n"
         "  - volume: {emissivity: {default: 0, " SPHERE "1}]}}\n"
         "    spectrum: {local: {}}\n"
         "    luminosity: 2 photon/s\n"
         "channels: {range: [-60 km/s, 60 km/s], number: 8}\n"
         "cameras: [{name: a, direction: +x, pixels: 8}, {name: b, direction: +z, pixels: 4}]\n";

static const char MOLECULE[] = MESH "line: {molecule: " LR_SOURCE_DIR "/examples/data/co_demo.dat, transition: 1}\n"
                                    "medium:\n"
                                    "  temperature: {default: 10 K, " SPHERE "30 K}]}\n"
                                    "  turbulence: 0.3 km/s\n"
                                    "  abundance: 1e-4\n"
                                    "  colliders: {H2: {default: 100 cm^-3, " SPHERE "1e4 cm^-3}]}}\n"
                                    "populations: {method: equilibrium, background: 2.725 K}\n"
                                    "sources: [{gas: {}}]\n";

static const char *const REFINED[] = {"mesh.refine=[{sphere: {centre: [0 pc, 0 pc, 0 pc], radius: 0.8 pc}, levels: 1}]",
                                      NULL};

static bool lies_in(const void *pointer, const char *memory, int64_t size)
{
    return (const char *)pointer >= memory && (const char *)pointer < memory + size;
}

/* The piece is moved, and what it was made from is gone, before the model is read from it. */
static lr_model *move(struct fixture *f, char **memory, int64_t *size)
{
    lr_model *model = NULL;
    *size = model_blocks_size(f->model);
    assert_true(*size > 0 && (double)*size < 1.1 * lr_model_memory(f->model) + 1e6);
    char *first = aligned_alloc(64, (size_t)*size);
    *memory = aligned_alloc(64, (size_t)*size);
    model_blocks_write(f->model, first);
    memcpy(*memory, first, (size_t)*size);
    memset(first, 0xa5, (size_t)*size);
    free(first);
    lr_model_free(f->model);
    f->model = NULL;
    assert_int_equal(model_blocks_read(f->ctx, *memory, &model), LR_OK);
    return model;
}

static void check(struct fixture *f, const char *text, const char *const *settings)
{
    char *memory = NULL;
    int64_t size = 0;
    const lr_model *before = load_ok(f, text, settings);
    const uint64_t print = model_print(before);
    const double bytes = lr_model_memory(before);
    char *resolved = NULL;
    assert_int_equal(lr_copy_text(f->ctx, before->resolved, &resolved), LR_OK);
    const int n_camera = before->n_camera;
    struct camera camera = n_camera ? before->camera[0] : (struct camera){.pixels = {0}};
    lr_model *model = move(f, &memory, &size);
    assert_true(model_print(model) == print);
    assert_string_equal(model->resolved, resolved);
    assert_true(lr_model_memory(model) == bytes);
    if (n_camera)
        assert_memory_equal(model->camera, &camera, sizeof camera);
    assert_true(
        lies_in(model->species ? model->species->temperature.values : model->medium.alpha0.values, memory, size));
    assert_false(lies_in(model->source, memory, size) || lies_in(model->text, memory, size));
    lr_model_free(model);
    free(memory);
    free(resolved);
}

static void test_gas_sources_and_cameras(void **state)
{
    check(*state, LYMAN_ALPHA, NULL);
}

static void test_a_molecule(void **state)
{
    check(*state, MOLECULE, NULL);
}

static void test_a_refined_mesh(void **state)
{
    check(*state, LYMAN_ALPHA, REFINED);
}

static void test_a_small_model_is_not_worth_it(void **state)
{
    struct fixture *f = *state;
    load_ok(f, BASE, NULL);
    assert_int_equal(model_blocks_size(f->model), 0);
}

static void released(void *owner, void *memory)
{
    assert_non_null(memory);
    ++*(int *)owner;
}

static void test_the_memory_is_released_once(void **state)
{
    struct fixture *f = *state;
    char *memory = NULL;
    int64_t size = 0;
    int count = 0;
    load_ok(f, LYMAN_ALPHA, NULL);
    lr_model *model = move(f, &memory, &size);
    model->shared.release = released;
    model->shared.owner = &count;
    lr_model_free(model);
    assert_int_equal(count, 1);
    free(memory);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_gas_sources_and_cameras), TEST(test_a_molecule),
                                       TEST(test_a_refined_mesh), TEST(test_a_small_model_is_not_worth_it),
                                       TEST(test_the_memory_is_released_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
