/* Section `image`: what is stored of the images, and the unit they are written in. */
#include "io/model/model_observation.h"

#include <math.h>
#include <string.h>

#include "base/constants.h"
#include "io/model/model_value.h"
#include "model/cube_unit.h"

static const double ARCSEC = LR_PI / 648000.0;

/* Background: none, cmb or a temperature. */
static enum lr_status read_background(const struct reader *r, const struct yaml_node *node, double *temperature)
{
    const double cmb = 2.725; /* K, Fixsen 2009, ApJ 707, 916, rounded as is customary */
    if (!node)
        return LR_OK;
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    if (strcmp(node->text, "none") == 0 || strcmp(node->text, "cmb") == 0) {
        *temperature = node->text[0] == 'c' ? cmb : 0.0;
        return LR_OK;
    }
    if (units_parse(r->units, node->text, DIMENSION_TEMPERATURE, temperature) != UNIT_OK || *temperature < 0.0)
        return READER_FAIL(r, node, "'%s' is not a background; write none, cmb or a temperature such as '2.7 K'",
                           node->text);
    return LR_OK;
}

/* One width, {major, minor, angle}, or none. */
static enum lr_status read_beam(const struct reader *r, const struct yaml_node *node, double beam[3])
{
    if (!node || (node->kind == YAML_SCALAR && strcmp(node->text, "none") == 0))
        return LR_OK;
    const struct yaml_node *major = node, *minor = NULL;
    if (node->kind != YAML_SCALAR || yaml_is_empty(node)) {
        LR_TRY(READER_KEYS(r, node, &SCHEMA_BEAM));
        LR_TRY(require_key(r, node, "major", &major));
        minor = yaml_find(node, "minor");
    }
    LR_TRY(read_quantity(r, major, DIMENSION_ANGLE, &beam[0]));
    beam[1] = beam[0];
    LR_TRY(read_quantity(r, minor, DIMENSION_ANGLE, &beam[1]));
    LR_TRY(read_quantity(r, yaml_find(node, "angle"), DIMENSION_ANGLE, &beam[2]));
    if (!(beam[0] > 0.0))
        return READER_FAIL(r, major, "'%s' must be above zero", major->text);
    if (minor && !(beam[1] > 0.0))
        return READER_FAIL(r, minor, "'%s' must be above zero", minor->text);
    if (minor && beam[1] > beam[0])
        return READER_FAIL(r, minor, "'%s' is wider than the major axis '%s'", minor->text, major->text);
    return LR_OK;
}

/* Right ascension and declination. */
static enum lr_status read_sky(const struct reader *r, const struct yaml_node *node, double sky[2])
{
    const double slack = 1.0 + 1e-12; /* 90 deg may have been rounded up */
    if (!node)
        return LR_OK;
    const struct yaml_node *ra = NULL, *dec = NULL;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_SKY));
    LR_TRY(require_key(r, node, "ra", &ra));
    LR_TRY(require_key(r, node, "dec", &dec));
    LR_TRY(read_quantity(r, ra, DIMENSION_ANGLE, &sky[0]));
    LR_TRY(read_quantity(r, dec, DIMENSION_ANGLE, &sky[1]));
    if (!(sky[0] >= 0.0 && sky[0] <= 2.0 * LR_PI * slack))
        return READER_FAIL(r, ra, "'%s' must lie between 0 and 360 deg", ra->text);
    if (!(fabs(sky[1]) <= 0.5 * LR_PI * slack))
        return READER_FAIL(r, dec, "'%s' must lie between -90 and 90 deg", dec->text);
    return LR_OK;
}

/* One boolean, or {velocity, source}. */
static enum lr_status read_subcell(const struct reader *r, const struct yaml_node *node, struct image_options *image)
{
    if (!node)
        return LR_OK;
    if (node->kind == YAML_SCALAR && !yaml_is_empty(node)) {
        LR_TRY(read_bool(r, node, &image->step_velocity));
        image->step_source = image->step_velocity;
        return LR_OK;
    }
    LR_TRY(READER_KEYS(r, node, &SCHEMA_SUBCELL));
    LR_TRY(read_bool(r, yaml_find(node, "velocity"), &image->step_velocity));
    return read_bool(r, yaml_find(node, "source"), &image->step_source);
}

static enum lr_status read_files(const struct reader *r, const struct observed *seen, const struct yaml_node *node,
                                 struct image_options *image)
{
    LR_TRY(read_bool(r, yaml_find(node, "subtract_background"), &image->subtract));
    LR_TRY(read_bool(r, yaml_find(node, "moments"), &image->moments));
    LR_TRY(read_bool(r, yaml_find(node, "peak"), &image->peak));
    LR_TRY(read_bool(r, yaml_find(node, "spectrum"), &image->spectrum));
    LR_TRY(read_bool(r, yaml_find(node, "optical_depth"), &image->optical_depth));
    LR_TRY(read_bool(r, yaml_find(node, "report"), &image->report));
    LR_TRY(read_bool(r, yaml_find(node, "column"), &image->column));
    if (image->column && !seen->molecule)
        return READER_FAIL(r, yaml_find(node, "column"), "a column density needs a molecule");
    LR_TRY(read_bool(r, yaml_find(node, "errors"), &image->errors));
    return read_bool(r, yaml_find(node, "emissivity"), &image->emissivity);
}

static enum lr_status read_place(const struct reader *r, const struct yaml_node *node, struct image_options *image)
{
    const struct yaml_node *distance = yaml_find(node, "distance"), *velocity = yaml_find(node, "velocity");
    LR_TRY(read_quantity(r, distance, DIMENSION_LENGTH, &image->distance));
    if (distance && !(image->distance > 0.0))
        return READER_FAIL(r, distance, "'%s' must be above zero", distance->text);
    LR_TRY(read_quantity(r, velocity, DIMENSION_VELOCITY, &image->velocity));
    if (!(fabs(image->velocity) < LR_LIGHT_SPEED))
        return READER_FAIL(r, velocity, "'%s' is not below the speed of light", velocity->text);
    return read_sky(r, yaml_find(node, "position"), image->sky);
}

/* Where a pixel must be an angle, a distant camera needs a distance; a beam must not be smaller than a pixel. */
static enum lr_status check_angles(const struct reader *r, const struct yaml_node *node, const struct observation *out)
{
    const struct image_options *image = &out->image;
    const struct yaml_node *beam = yaml_find(node, "beam"), *unit = yaml_find(node, "unit");
    bool per_pixel = image->unit == UNIT_JY_PER_PIXEL || image->unit == UNIT_JY_PER_BEAM;
    if (!(image->beam[0] > 0.0))
        beam = NULL;
    if (image->unit == UNIT_JY_PER_BEAM && !beam)
        return READER_FAIL(r, unit, "Jy/beam needs 'beam', such as beam: 5 arcsec");
    for (int i = 0; (beam || per_pixel) && i < out->n_camera; i++) {
        const struct camera *camera = &out->camera[i];
        if (camera->kind == CAMERA_ORTHOGRAPHIC && image->distance == 0.0)
            return READER_FAIL(r, beam ? beam : unit, "%s needs 'distance', such as distance: 140 pc",
                               beam ? "a beam" : "Jy/pixel");
        double pixel = cube_pixel_angle(camera, image->distance, 0);
        if (beam && image->beam[1] < pixel)
            return READER_FAIL(r, beam,
                               "the beam of %.4g arcsec is smaller than a pixel of camera '%s', %.4g arcsec; use more "
                               "pixels or a smaller field",
                               image->beam[1] / ARCSEC, camera->name, pixel / ARCSEC);
    }
    return LR_OK;
}

/* Packets are sent to the cameras one by one: nothing is stored per cell, and only parallel light is recorded. */
static enum lr_status check_peel_off(const struct reader *r, const struct observed *seen, const struct yaml_node *node,
                                     const struct observation *out)
{
    const struct yaml_node *method = yaml_find(node, "method");
    if (out->image.emissivity)
        return READER_FAIL(r, yaml_find(node, "emissivity"),
                           "'peel-off' has no emissivity to store; use method: two-step");
    if (strncmp(seen->run->device, "cuda", 4) == 0)
        return READER_FAIL(r, method, "'peel-off' runs on the CPU only; use run.device: cpu, or method: two-step");
    if (seen->run->packets == 0)
        return READER_FAIL(r, method, "'peel-off' needs packets, but run.packets is 0; use method: two-step");
    for (int face = 0; face < N_FACE; face++)
        if (seen->mesh->face[face] == FACE_PERIODIC)
            return READER_FAIL(r, method, "'peel-off' does not support periodic meshes; use method: two-step");
    for (int i = 0; i < out->n_camera; i++)
        if (out->camera[i].kind == CAMERA_PERSPECTIVE)
            return READER_FAIL(r, method,
                               "'peel-off' does not support cameras with a position, such as '%s'; use method: "
                               "two-step, or give a direction",
                               out->camera[i].name);
    return LR_OK;
}

enum lr_status read_image(const struct reader *r, const struct observed *seen, const struct yaml_node *node,
                          struct observation *out)
{
    struct image_options *image = &out->image;
    *image = (struct image_options){.step_velocity = true, .step_source = true, .spectrum = true, .report = true};
    if (!node)
        return LR_OK;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_IMAGE));
    int unit = UNIT_KELVIN, method = IMAGE_TWO_STEP;
    LR_TRY(read_choice(r, yaml_find(node, "unit"), &SCHEMA_IMAGE, "unit", &unit));
    LR_TRY(read_choice(r, yaml_find(node, "method"), &SCHEMA_IMAGE, "method", &method));
    image->unit = (enum brightness_unit)unit;
    image->method = (enum image_method)method;
    LR_TRY(read_place(r, node, image));
    LR_TRY(read_beam(r, yaml_find(node, "beam"), image->beam));
    LR_TRY(read_background(r, yaml_find(node, "background"), &image->background));
    LR_TRY(read_subcell(r, yaml_find(node, "subcell"), image));
    LR_TRY(read_files(r, seen, node, image));
    LR_TRY(check_angles(r, node, out));
    return image->method == IMAGE_PEEL_OFF ? check_peel_off(r, seen, node, out) : LR_OK;
}
