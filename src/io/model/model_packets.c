#include "io/model/model_packets.h"

#include <math.h>

#include "base/constants.h"
#include "io/hdf5/hdf5_field.h"
#include "io/model/model_file.h"
#include "io/model/model_limits.h"
#include "io/model/model_source.h"

/* Read dataset `name` of the file, or the array given by the key `name`, of shape (n) or (n, 3); the first one read
 * sets n. */
static enum lr_status read_list(const struct reader *r, const struct yaml_node *map, const char *name,
                                enum dimension dimension, int width, int64_t *n, double **values)
{
    const struct yaml_node *own = yaml_find(map, name);
    struct hdf5_array *array = NULL;
    if (own)
        LR_TRY(check_dataset_keys(r, own));
    LR_TRY(open_dataset(r, own ? own : map, own ? "dataset" : name, own ? NULL : name, &array));
    enum lr_status status = LR_OK;
    bool fits = array->rank == (width == 1 ? 1 : 2) && (width == 1 || array->shape[1] == width) &&
                array->shape[0] > 0 && (*n == 0 || array->shape[0] == *n);
    if (!fits) {
        char shape[128];
        hdf5_shape_text(array->shape, array->rank, shape, sizeof shape);
        status = READER_FAIL(r, map, "the dataset '%s' has shape %s; expected (n%s), with the same n > 0 for all", name,
                             shape, width == 1 ? "" : ", 3");
        goto close;
    }
    *n = array->shape[0];
    int64_t count = *n * width;
    LR_TRY_OR(close, status, lr_allocate(r->ctx, (size_t)*n, (size_t)width * sizeof(double), values));
    LR_TRY_OR(close, status, read_dataset(r, map, array, -1, *values));
    LR_TRY_OR(close, status, convert_dataset(r, map, array, dimension, *values, count));
close:
    hdf5_array_close(array);
    return status;
}

static bool normalise(double direction[3])
{
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    for (int d = 0; d < 3; d++)
        direction[d] /= length;
    return isfinite(length) && length > 0.0;
}

/* What is wrong with packet i, or NULL; normalises its direction and converts its velocity to a shift. */
static const char *finish_packet(const lr_model *model, struct source *source, int64_t i)
{
    if (!mesh_contains(&model->mesh, source->packet_position + 3 * i))
        return "starts outside the mesh";
    if (!normalise(source->packet_direction + 3 * i))
        return "has no direction";
    if (!(fabs(source->packet_shift[i]) < LR_LIGHT_SPEED))
        return "has a velocity that is not finite or not below the speed of light";
    if (!(source->packet_weight[i] >= 0.0 && isfinite(source->packet_weight[i])))
        return "has a weight that is negative or not finite";
    if (beam_is_endless(model, source->packet_position + 3 * i, source->packet_direction + 3 * i))
        return "flies parallel to all open faces and meets no gas, so it would never leave; tilt it, make a face in "
               "its "
               "way open (mesh.faces), or put gas in its way";
    source->packet_shift[i] = -source->packet_shift[i];
    return NULL;
}

enum lr_status read_packets(const struct reader *r, const struct yaml_node *map, struct source *source)
{
    int64_t *n = &source->n_packet;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_PACKETS));
    LR_TRY(read_list(r, map, "position", DIMENSION_LENGTH, 3, n, &source->packet_position));
    LR_TRY(read_list(r, map, "direction", DIMENSION_NONE, 3, n, &source->packet_direction));
    LR_TRY(read_list(r, map, "velocity", DIMENSION_VELOCITY, 1, n, &source->packet_shift));
    LR_TRY(read_list(r, map, "weight", DIMENSION_PHOTON_RATE, 1, n, &source->packet_weight));
    source->luminosity = 0.0;
    for (int64_t i = 0; i < *n; i++) {
        const char *fault = finish_packet(r->model, source, i);
        if (fault)
            return READER_FAIL(r, map, "packet %lld %s", (long long)i, fault);
        source->luminosity += source->packet_weight[i];
    }
    if (source->luminosity > 0.0 && !(source->luminosity >= LEAST_LUMINOSITY && source->luminosity <= MOST_LUMINOSITY))
        return READER_FAIL(r, map, "the weights sum to %g photon/s; expected %g to %g", source->luminosity,
                           LEAST_LUMINOSITY, MOST_LUMINOSITY);
    return LR_OK;
}
