/* `line: {rotor: {b, d, h, dipole, mass, highest_j}}`: a linear molecule from its constants (lines/rotor.h), without
 * collision rates. */
#include "io/model/model_line.h"
#include "io/model/model_value.h"
#include "lines/rotor.h"

enum { DEFAULT_HIGHEST_J = 40, LARGEST_J = 1000 };

/* A correction that is optional and may be negative. */
static enum lr_status read_distortion(const struct reader *r, const struct yaml_node *map, const char *key,
                                      double *value)
{
    return read_quantity(r, yaml_find(map, key), DIMENSION_FREQUENCY, value);
}

enum lr_status read_rotor(const struct reader *r, const struct yaml_node *map, struct molecule *molecule)
{
    struct rotor rotor = {.highest = DEFAULT_HIGHEST_J};
    LR_TRY(READER_KEYS(r, map, &SCHEMA_ROTOR));
    LR_TRY(read_positive(r, map, "b", DIMENSION_FREQUENCY, &rotor.b));
    LR_TRY(read_distortion(r, map, "d", &rotor.d));
    LR_TRY(read_distortion(r, map, "h", &rotor.h));
    LR_TRY(read_positive(r, map, "dipole", DIMENSION_DIPOLE, &rotor.dipole));
    LR_TRY(read_positive(r, map, "mass", DIMENSION_MASS, &rotor.mass));
    LR_TRY(read_int(r, yaml_find(map, "highest_j"), 1, LARGEST_J, &rotor.highest));
    return place_error(r, map, rotor_make(r->ctx, "rotor", &rotor, molecule));
}
