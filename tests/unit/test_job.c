/* From models to transport jobs. */
#include "model_fixture.h"

#include "model/field.h"
#include "solve/transport/job.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

#define SHELLS_SETTING "mesh={shells: 4, inner: 0.5 pc, outer: 1 pc}"

static bool absorbs(struct fixture *f)
{
    struct prepared prepared;
    assert_int_equal(job_prepare(f->ctx, f->model, &prepared), LR_OK);
    const bool absorbing = prepared.job.absorbing;
    assert_int_equal(prepared.job.n_cell, 4 + 1); /* with the cavity */
    job_free(&prepared);
    return absorbing;
}

/* Fields have a value per shell and none for the cavity, although the job counts it: values beyond are not read. */
static void a_cavity_has_no_value(void **state)
{
    struct fixture *f = *state;
    LOAD(f, SHELLS_SETTING, "medium={b: 1 km/s, opacity: 3 1/pc}");
    assert_false(absorbs(f));
    double *values = calloc(5, sizeof *values);
    values[4] = 1;
    f->model->medium.kappa.values = values;
    assert_false(absorbs(f));
    values[3] = 1;
    assert_true(absorbs(f));
}

/* An absorption with a shape that is scaled to zero is no absorption. */
static void absorption_scaled_to_zero_is_one_number(void **state)
{
    struct fixture *f = *state;
    const lr_model *m =
        LOAD(f, SHELLS_SETTING,
             "medium={b: 1 km/s, opacity: 3 1/pc, tau_absorption: 0, absorption: {default: 0 1/pc, regions: "
             "[{shell: {centre: [0 pc, 0 pc, 0 pc], inner: 0.6 pc, outer: 0.8 pc}, value: 1 1/pc}]}}");
    assert_null(m->medium.kappa.values);
    assert_false(absorbs(f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(a_cavity_has_no_value), RUN(absorption_scaled_to_zero_is_one_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
