/* Documents: read once, then queried for lines, files and models any number of times; settings make a new document and
 * leave the first unchanged. */
#define _POSIX_C_SOURCE 200809L
#include "model_fixture.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static const char TWO[] = "mesh: {cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc]}\n"
                          "medium: {temperature: 30 K, turbulence: 0.3 km/s}\n"
                          "run: {packets: 0}\n"
                          "lines:\n"
                          "  - {name: low, molecule: co, transition: 1-0, medium: {density: 1e-4 cm^-3}}\n"
                          "  - {name: high, molecule: co, transition: 3-2, medium: {density: 1e-5 cm^-3}}\n";

static lr_document *parse(struct fixture *f, const char *text)
{
    lr_document *document = NULL;
    if (lr_document_parse(f->ctx, "text", text, NULL, NULL, 0, &document) != LR_OK)
        fail_msg("%s", lr_last_error(f->ctx));
    return document;
}

static void make(struct fixture *f, const lr_document *document, const char *line)
{
    lr_model_free(f->model);
    if (lr_model_create(f->ctx, document, line, &f->model) != LR_OK)
        fail_msg("%s", lr_last_error(f->ctx));
}

static void refuse(struct fixture *f, const lr_document *document, const char *line, const char *words)
{
    lr_model *model = NULL;
    assert_int_equal(lr_model_create(f->ctx, document, line, &model), LR_ERROR_INPUT);
    assert_null(model);
    if (!strstr(lr_last_error(f->ctx), words))
        fail_msg("'%s' is not in the error: %s", words, lr_last_error(f->ctx));
}

static void test_one_model(void **state)
{
    struct fixture *f = *state;
    lr_document *document = parse(f, BASE);
    assert_int_equal(lr_document_model_count(document), 1);
    assert_string_equal(lr_document_line(document, 0), "");
    assert_null(lr_document_line(document, 1));
    assert_null(lr_document_line(document, -1));
    assert_string_equal(lr_document_text(document), BASE);
    make(f, document, NULL);
    make(f, document, "");
    refuse(f, document, "co", "text: no line 'co': the model has no list 'lines'");
    lr_document_free(document);
}

/* The models of a list can be made in any order, and repeatedly: none takes from the document what another needs. */
static void test_lines(void **state)
{
    struct fixture *f = *state;
    lr_document *document = parse(f, TWO);
    assert_int_equal(lr_document_model_count(document), 2);
    assert_string_equal(lr_document_line(document, 0), "low");
    assert_string_equal(lr_document_line(document, 1), "high");
    assert_null(lr_document_line(document, 2));
    for (int turn = 0; turn < 2; turn++) {
        make(f, document, "high");
        assert_close(f->model->line.nu0, 345.7959899e9, 1e-6);
        make(f, document, "low");
        assert_close(f->model->line.nu0, 115.2712018e9, 1e-6);
    }
    refuse(f, document, "middle", "no line 'middle'; the lines are low, high");
    refuse(f, document, NULL, "this model has several lines; choose one of: low, high");
    lr_document_free(document);
}

static void test_settings_make_another_document(void **state)
{
    struct fixture *f = *state;
    const char *const seeds[] = {"run.seed=7", "run.packets=11"};
    lr_document *document = NULL, *changed = NULL;
    assert_int_equal(lr_document_parse(f->ctx, "text", BASE, NULL, &seeds[0], 1, &document), LR_OK);
    assert_int_equal(lr_document_change(f->ctx, document, &seeds[1], 1, &changed), LR_OK);
    make(f, document, NULL);
    assert_int_equal(f->model->run.seed, 7);
    assert_int_equal(f->model->run.packets, 100000);
    lr_document_free(document); /* the other one does not depend on it */
    make(f, changed, NULL);
    assert_int_equal(f->model->run.seed, 7);
    assert_int_equal(f->model->run.packets, 11);
    assert_non_null(strstr(f->model->text, "# --set run.seed=7\n# --set run.packets=11\n"));
    lr_document_free(changed);
}

/* Constant fields take no memory. */
static void test_memory(void **state)
{
    struct fixture *f = *state;
    const char *const varied[] = {"medium.density={default: 1 cm^-3, regions: [{sphere: {centre: [0 pc, 0 pc, 0 pc], "
                                  "radius: 0.5 pc}, value: 2 cm^-3}]}"};
    lr_document *document = parse(f, BASE), *changed = NULL;
    make(f, document, NULL);
    assert_true(lr_model_memory(f->model) == 0.0);
    assert_int_equal(lr_document_change(f->ctx, document, varied, 1, &changed), LR_OK);
    make(f, changed, NULL);
    assert_true(lr_model_memory(f->model) == 4 * 2 * 2 * sizeof(double)); /* alpha0 */
    lr_document_free(changed);
    lr_document_free(document);
}

static void test_errors_name_the_place(void **state)
{
    struct fixture *f = *state;
    const char *const bad[] = {"run.packets=-1"};
    lr_document *document = parse(f, BASE), *changed = NULL;
    assert_int_equal(lr_document_change(f->ctx, document, bad, 1, &changed), LR_OK);
    refuse(f, changed, NULL, "--set run.packets: ");
    lr_document_free(changed);
    lr_document_free(document);
    assert_int_equal(lr_document_parse(f->ctx, "text", "mesh: {\n", NULL, NULL, 0, &document), LR_ERROR_INPUT);
    assert_null(document);
    assert_int_equal(strncmp(lr_last_error(f->ctx), "text:", 5), 0);
}

static void test_files_that_are_read(void **state)
{
    struct fixture *f = *state;
    FILE *file = fopen("test_document_gas.h5", "w");
    assert_non_null(file);
    fclose(file);
    const char *const setting[] = {"medium.temperature={file: test_document_gas.h5, dataset: T}"};
    lr_document *document = parse(f, BASE), *changed = NULL;
    assert_int_equal(lr_document_reads(document, "test_document_gas.h5"), 0);
    assert_int_equal(lr_document_change(f->ctx, document, setting, 1, &changed), LR_OK);
    assert_int_equal(lr_document_reads(changed, "./test_document_gas.h5"), 1);
    assert_int_equal(lr_document_reads(changed, "test_document_gone.h5"), 0);
    lr_document_free(changed);
    lr_document_free(document);
    remove("test_document_gas.h5");
}

static const char PIPE[] = "test_document_pipe.yaml";

static void *write_once(void *text)
{
    FILE *pipe = fopen(PIPE, "w");
    fputs(text, pipe);
    fclose(pipe);
    return NULL;
}

/* A pipe can be read only once: opening the file again would block for ever, so the alarm ends the test. */
static void test_the_file_is_read_once(void **state)
{
    struct fixture *f = *state;
    pthread_t writer;
    lr_document *document = NULL;
    remove(PIPE);
    assert_int_equal(mkfifo(PIPE, 0600), 0);
    alarm(60);
    pthread_create(&writer, NULL, write_once, (void *)(uintptr_t)TWO);
    assert_int_equal(lr_document_load(f->ctx, PIPE, NULL, 0, &document), LR_OK);
    pthread_join(writer, NULL);
    assert_int_equal(lr_document_model_count(document), 2);
    assert_int_equal(lr_document_reads(document, "somewhere.h5"), 0);
    make(f, document, "low");
    make(f, document, "high");
    alarm(0);
    lr_document_free(document);
    remove(PIPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_model, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_lines, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_settings_make_another_document, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_memory, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_errors_name_the_place, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_files_that_are_read, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_the_file_is_read_once, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
