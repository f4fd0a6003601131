/* Frequencies relative to the line, in the three forms that users may write, as shifts c (nu - nu0) / nu0 in cm/s: a
 * plain number x (Doppler units of reference_b, blue positive), a velocity in the radio convention (v = -c (nu - nu0) /
 * nu0, receding positive), or an absolute frequency. */
#include "io/model/model_shift.h"

#include <math.h>

#include "base/constants.h"

struct shift_scale shift_scale_of(const lr_model *model)
{
    return (struct shift_scale){model->line.nu0, model->reference_b};
}

/* Which of the three the unit implies; converts the values to x, cm/s or Hz. */
static enum unit_match convert_any(const struct reader *r, const char *unit, double *values, size_t n,
                                   enum dimension *dimension)
{
    const enum dimension order[] = {DIMENSION_NONE, DIMENSION_VELOCITY, DIMENSION_FREQUENCY};
    enum unit_match match = UNIT_MISMATCH;
    for (int i = 0; i < 3 && match == UNIT_MISMATCH; i++) {
        *dimension = order[i];
        match = units_convert(r->units, unit, *dimension, values, n);
    }
    return match;
}

static double shift_of(struct shift_scale scale, double value, enum dimension dimension)
{
    if (dimension == DIMENSION_NONE)
        return value * scale.reference_b;
    if (dimension == DIMENSION_VELOCITY)
        return value == 0.0 ? 0.0 : -value; /* users should not see -0 */
    return LR_LIGHT_SPEED * (value / scale.nu0 - 1.0);
}

static enum lr_status read_any(const struct reader *r, const struct yaml_node *node, double *value,
                               enum dimension *dimension)
{
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    const char *unit = NULL;
    enum unit_match match = UNIT_NOT_A_NUMBER;
    if (units_split(node->text, value, &unit))
        match = convert_any(r, unit, value, 1, dimension);
    if (match != UNIT_OK)
        return READER_FAIL(r, node,
                           "'%s' is not a frequency; write a plain number (Doppler units, blue positive), a velocity "
                           "such as '3 km/s' (red positive) or a frequency such as '115.27 GHz'",
                           node->text);
    return LR_OK;
}

enum lr_status read_shift(const struct reader *r, struct shift_scale scale, const struct yaml_node *node, double *shift)
{
    if (!node)
        return LR_OK;
    enum dimension dimension = DIMENSION_NONE;
    double value = 0.0;
    LR_TRY(read_any(r, node, &value, &dimension));
    *shift = shift_of(scale, value, dimension);
    if (!(fabs(*shift) < LR_LIGHT_SPEED))
        return READER_FAIL(r, node, "'%s' is offset from the line by more than the speed of light", node->text);
    return LR_OK;
}

enum lr_status read_shift_range(const struct reader *r, struct shift_scale scale, const struct yaml_node *node,
                                double range[2])
{
    if (!node)
        return LR_OK;
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
    if (node->n_child != 2)
        return READER_FAIL(r, node, "expected two ends [from, to], found %d", node->n_child);
    double a = 0.0, b = 0.0;
    LR_TRY(read_shift(r, scale, node->first, &a));
    LR_TRY(read_shift(r, scale, node->last, &b));
    range[0] = a < b ? a : b;
    range[1] = a < b ? b : a;
    return a != b ? LR_OK : READER_FAIL(r, node, "the range is empty");
}

enum lr_status read_shift_width(const struct reader *r, struct shift_scale scale, const struct yaml_node *node,
                                double *width)
{
    enum dimension dimension = DIMENSION_NONE;
    double value = 0.0;
    LR_TRY(read_any(r, node, &value, &dimension));
    if (dimension == DIMENSION_NONE)
        value *= scale.reference_b;
    else if (dimension == DIMENSION_FREQUENCY)
        value *= LR_LIGHT_SPEED / scale.nu0;
    if (!(value > 0.0 && value < LR_LIGHT_SPEED))
        return READER_FAIL(r, node, "'%s' must be a width above zero and below the speed of light", node->text);
    *width = value;
    return LR_OK;
}

enum lr_status convert_shifts(const struct reader *r, struct shift_scale scale, const struct yaml_node *node,
                              const char *unit, double *values, int64_t n)
{
    enum dimension dimension = DIMENSION_NONE;
    if (convert_any(r, unit, values, (size_t)n, &dimension) != UNIT_OK)
        return READER_FAIL(r, node, "units '%s' are neither '1' (Doppler units), a velocity nor a frequency", unit);
    for (int64_t i = 0; i < n; i++) {
        values[i] = shift_of(scale, values[i], dimension);
        if (!(fabs(values[i]) < LR_LIGHT_SPEED))
            return READER_FAIL(r, node, "entry %lld is not a finite shift below the speed of light", (long long)i);
    }
    return LR_OK;
}
