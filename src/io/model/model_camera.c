/* Section `cameras`: a list. Each entry says where an observer is, how much of the sky the image covers, and its
 * pixels. */
#include "io/model/model_observation.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/constants.h"
#include "io/model/model_field.h"
#include "io/model/model_value.h"

/* ---- Name ---- */

/* The files of a camera are NAME.fits, NAME_error.fits and so on: no camera name may collide with a file of another. */
static bool ends_like_a_file(const char *name)
{
    const char *const endings[] = {"_error", "_tau", "_mom0", "_mom1", "_mom2", "_peak", "_spectrum"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t length = strlen(name), tail = strlen(endings[i]);
        if (length >= tail && strcmp(name + length - tail, endings[i]) == 0)
            return true;
    }
    return false;
}

static enum lr_status read_name(const struct reader *r, const struct yaml_node *entry, struct camera *camera)
{
    const struct yaml_node *node = yaml_find(entry, "name");
    if (!node) {
        snprintf(camera->name, sizeof camera->name, "camera%d", entry->index + 1);
        return LR_OK;
    }
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    size_t length = strlen(node->text), good = 0;
    while (isalnum((unsigned char)node->text[good]) || node->text[good] == '-' || node->text[good] == '_')
        good++;
    if (length == 0 || good != length || length >= sizeof camera->name)
        return READER_FAIL(r, node, "'%.80s' is used in file names; use 1 to %d letters, digits, - and _", node->text,
                           (int)sizeof camera->name - 1);
    if (ends_like_a_file(node->text))
        return READER_FAIL(r, node, "'%s' could be mistaken for a file of another camera; use another ending",
                           node->text);
    memcpy(camera->name, node->text, length + 1);
    return LR_OK;
}

static enum lr_status check_names(const struct reader *r, const struct yaml_node *list, const struct camera *camera)
{
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next)
        for (int other = 0; other < entry->index; other++)
            if (strcmp(camera[entry->index].name, camera[other].name) == 0)
                return READER_FAIL(r, entry,
                                   "the name '%s' is already used by camera %d; give each camera its own 'name'",
                                   camera[other].name, other);
    return LR_OK;
}

/* ---- Direction ---- */

/* `direction`, or `theta` and `phi`. */
static enum lr_status read_toward(const struct reader *r, const struct yaml_node *entry, struct camera *camera)
{
    const struct yaml_node *direction = yaml_find(entry, "direction"), *theta_node = yaml_find(entry, "theta");
    const struct yaml_node *phi_node = yaml_find(entry, "phi"), *angle = theta_node ? theta_node : phi_node;
    if (direction && angle)
        return yaml_fail_key(r->ctx, r->tree, angle, "'direction' is also given; remove one of them");
    if (direction)
        return read_direction(r, direction, camera->toward);
    if (!theta_node)
        return READER_FAIL(r, entry,
                           "the direction to the observer is missing: give 'direction', or 'theta' and 'phi', or "
                           "'position' for a nearby observer");
    double theta = 0.0, phi = 0.0;
    LR_TRY(read_quantity(r, theta_node, DIMENSION_ANGLE, &theta));
    LR_TRY(read_quantity(r, phi_node, DIMENSION_ANGLE, &phi));
    if (!(theta >= 0.0 && theta <= LR_PI * (1.0 + 1e-12)))
        return READER_FAIL(r, theta_node, "'%s' must lie between 0 and 180 deg", theta_node->text);
    camera_from_angles(theta, phi, camera->toward);
    return LR_OK;
}

/* From the image centre to a nearby observer. */
static enum lr_status read_position(const struct reader *r, const struct observed *seen, const struct yaml_node *entry,
                                    const struct yaml_node *position, struct camera *camera)
{
    const char *const refused[] = {"direction", "theta", "phi"};
    for (int i = 0; i < 3; i++)
        if (yaml_find(entry, refused[i]))
            return yaml_fail_key(r->ctx, r->tree, yaml_find(entry, refused[i]),
                                 "a camera with a 'position' looks at its 'centre'; remove one of them");
    LR_TRY(read_vector(r, position, DIMENSION_LENGTH, camera->position));
    double length = 0.0, size = 0.0;
    for (int d = 0; d < 3; d++) {
        camera->toward[d] = camera->position[d] - camera->centre[d];
        length = hypot(length, camera->toward[d]);
        size = fmax(size, mesh_size(seen->mesh, d));
    }
    if (!(length > 1e-9 * size && isfinite(length)))
        return READER_FAIL(r, position, "'position' and 'centre' are the same point; move one of them");
    for (int d = 0; d < 3; d++)
        camera->toward[d] /= length;
    return LR_OK;
}

/* Offset of the image centre from `centre`, along right and up. */
static enum lr_status read_offset(const struct reader *r, const struct yaml_node *node, struct camera *camera)
{
    if (!node)
        return LR_OK;
    if (camera->kind == CAMERA_PERSPECTIVE)
        return yaml_fail_key(r->ctx, r->tree, node, "a camera with a 'position' looks at its 'centre'; move that");
    if (node->n_child != 2)
        return READER_FAIL(r, node, "expected two lengths [right, up], found %d", node->n_child);
    const struct yaml_node *const part[2] = {node->first, node->last};
    for (int i = 0; i < 2; i++) {
        double length = 0.0;
        LR_TRY(read_quantity(r, part[i], DIMENSION_LENGTH, &length));
        for (int d = 0; d < 3; d++)
            camera->centre[d] += length * (i == 0 ? camera->right[d] : camera->up[d]);
    }
    return LR_OK;
}

static enum lr_status read_view(const struct reader *r, const struct observed *seen, const struct yaml_node *entry,
                                struct camera *camera)
{
    const struct yaml_node *position = yaml_find(entry, "position");
    double roll = 0.0;
    for (int d = 0; d < 3; d++)
        camera->centre[d] = mesh_centre(seen->mesh, d);
    LR_TRY(read_vector(r, yaml_find(entry, "centre"), DIMENSION_LENGTH, camera->centre));
    camera->kind = position ? CAMERA_PERSPECTIVE : CAMERA_ORTHOGRAPHIC;
    LR_TRY(position ? read_position(r, seen, entry, position, camera) : read_toward(r, entry, camera));
    LR_TRY(read_quantity(r, yaml_find(entry, "roll"), DIMENSION_ANGLE, &roll));
    camera_orient(camera, roll);
    return read_offset(r, yaml_find(entry, "offset"), camera);
}

/* ---- Field and pixels ---- */

/* One value for both sides, or [width, height]. */
static enum lr_status find_pair(const struct reader *r, const struct yaml_node *node, const struct yaml_node *side[2])
{
    side[0] = side[1] = node;
    if (node->kind != YAML_LIST)
        return LR_OK;
    if (node->n_child != 2)
        return READER_FAIL(r, node, "expected one value or two [width, height], found %d", node->n_child);
    side[0] = node->first;
    side[1] = node->last;
    return LR_OK;
}

static enum lr_status read_field_of_view(const struct reader *r, const struct yaml_node *node, struct camera *camera)
{
    const struct yaml_node *side[2];
    bool near = camera->kind == CAMERA_PERSPECTIVE;
    const double widest = 170.0 * LR_PI / 180.0; /* a plane cannot cover half the sky */
    LR_TRY(find_pair(r, node, side));
    for (int i = 0; i < 2; i++) {
        LR_TRY(read_quantity(r, side[i], near ? DIMENSION_ANGLE : DIMENSION_LENGTH, &camera->field[i]));
        if (!(camera->field[i] > 0.0))
            return READER_FAIL(r, side[i], "'%s' must be above zero", side[i]->text);
        if (near && camera->field[i] > widest)
            return READER_FAIL(r, side[i], "'%s' is too wide for a flat image; the maximum is 170 deg", side[i]->text);
    }
    return LR_OK;
}

static enum lr_status read_pixels(const struct reader *r, const struct yaml_node *node, int pixels[2])
{
    const struct yaml_node *side[2];
    LR_TRY(find_pair(r, node, side));
    for (int i = 0; i < 2; i++)
        LR_TRY(read_int(r, side[i], 1, MAX_PIXEL, &pixels[i]));
    return LR_OK;
}

/* The width is kept; the message gives the height that makes pixels square, in the user's unit. */
static enum lr_status check_square(const struct reader *r, const struct yaml_node *node, const struct camera *camera)
{
    double plane[2], number = 0.0;
    const char *unit = "";
    camera_plane(camera, plane);
    double across = plane[0] / camera->pixels[0], along = plane[1] / camera->pixels[1];
    if (fabs(across / along - 1.0) <= 1e-6)
        return LR_OK;
    const struct yaml_node *side[2];
    LR_TRY(find_pair(r, node, side));
    units_split(side[0]->text, &number, &unit);
    double height = across * camera->pixels[1];
    if (camera->kind == CAMERA_PERSPECTIVE)
        height = 2.0 * atan(0.5 * height);
    return READER_FAIL(
        r, node,
        "the pixels are not square: they are %.4g times as wide as they are high; write field: [%.9g %s, %.9g "
        "%s] for %d x %d pixels",
        across / along, number, unit, height * number / camera->field[0], unit, camera->pixels[0], camera->pixels[1]);
}

static enum lr_status read_frame(const struct reader *r, const struct observed *seen, const struct yaml_node *entry,
                                 struct camera *camera)
{
    const struct yaml_node *field = yaml_find(entry, "field"), *pixels = yaml_find(entry, "pixels");
    double plane[2];
    camera->pixels[0] = camera->pixels[1] = 128;
    if (pixels)
        LR_TRY(read_pixels(r, pixels, camera->pixels));
    if (field) {
        LR_TRY(read_field_of_view(r, field, camera));
        camera_plane(camera, plane);
    } else {
        camera_fit_plane(camera, seen->mesh, plane);
    }
    if (!(plane[0] > 0.0 && plane[1] > 0.0 && isfinite(plane[0] + plane[1])))
        return READER_FAIL(r, entry, "the camera is too far away to make an image of the mesh");
    if (!pixels || pixels->kind != YAML_LIST)
        camera_divide_plane(camera, plane, camera->pixels[0]);
    else if (field)
        return check_square(r, field, camera);
    else
        camera_widen_plane(camera, plane);
    return LR_OK;
}

/* ---- Does it see anything? ---- */

/* An observer inside the mesh must be able to see out of its own cell. */
static enum lr_status check_surroundings(const struct reader *r, const struct observed *seen,
                                         const struct yaml_node *position, const struct camera *camera)
{
    const double thickest = 30.0;
    const struct mesh *mesh = seen->mesh;
    double point[3];
    for (int d = 0; d < 3; d++) {
        double low = mesh_lower(mesh, d), size = mesh_size(mesh, d), offset = camera->position[d] - low;
        point[d] = mesh->face[2 * d] == FACE_PERIODIC ? low + offset - size * floor(offset / size) : low + offset;
    }
    if (!mesh_contains(mesh, point))
        return LR_OK;
    int at[3];
    mesh_find_point(mesh, point, at);
    const int64_t cell = mesh_cell_index(mesh, at[0], at[1], at[2]);
    const double width = mesh_cell_width(mesh, at[0], at[1], at[2]);
    double depth = width * (field_at(&seen->medium->alpha0, cell) + field_at(&seen->medium->kappa, cell));
    if (depth <= thickest)
        return LR_OK;
    char place[64];
    name_cell(mesh, cell, place, sizeof place);
    return READER_FAIL(r, position,
                       "the observer would see only its own cell %s, whose optical depth is %.3g (limit %g); move it, "
                       "or refine the mesh there",
                       place, depth, thickest);
}

/* A line of sight must end: in a periodic mesh, along an axis that is not periodic. */
static enum lr_status check_way_out(const struct reader *r, const struct observed *seen, const struct yaml_node *entry,
                                    const struct camera *camera)
{
    const double creeping = 1e-3; /* a thousand crossings of the mesh */
    const struct yaml_node *node = entry;
    const char *const keys[] = {"position", "direction", "theta"};
    for (int i = 0; i < 3 && node == entry; i++)
        if (yaml_find(entry, keys[i]))
            node = yaml_find(entry, keys[i]);
    for (int d = 0; d < 3; d++)
        if (seen->mesh->face[2 * d] != FACE_PERIODIC && fabs(camera->toward[d]) > creeping)
            return LR_OK;
    return READER_FAIL(r, node, "a line of sight in this direction never leaves the periodic mesh; turn the camera");
}

/* A near observer would see each period from a different angle, but light is recorded for only one. */
static enum lr_status check_periods(const struct reader *r, const struct observed *seen, const struct yaml_node *entry,
                                    const struct camera *camera)
{
    for (int d = 0; camera->kind == CAMERA_PERSPECTIVE && d < 3; d++)
        if (seen->mesh->face[2 * d] == FACE_PERIODIC)
            return READER_FAIL(r, yaml_find(entry, "position"),
                               "a camera with a position needs open faces; %c is periodic. Give it a direction instead",
                               "xyz"[d]);
    return LR_OK;
}

/* ---- The list ---- */

/* For a near observer, every line of sight would need its own image of the shells. */
static enum lr_status check_shells(const struct reader *r, const struct observed *seen, const struct yaml_node *entry)
{
    const struct yaml_node *position = yaml_find(entry, "position");
    if (position && seen->mesh->kind == MESH_SHELLS)
        return yaml_fail_key(r->ctx, r->tree, position,
                             "with a mesh of shells, cameras must be distant; give a direction instead");
    return LR_OK;
}

static enum lr_status read_camera(const struct reader *r, const struct observed *seen, const struct yaml_node *entry,
                                  struct camera *camera)
{
    LR_TRY(READER_KEYS(r, entry, &SCHEMA_CAMERA));
    const struct yaml_node *position = yaml_find(entry, "position"), *field = yaml_find(entry, "field");
    LR_TRY(read_name(r, entry, camera));
    LR_TRY(check_shells(r, seen, entry));
    LR_TRY(read_view(r, seen, entry, camera));
    LR_TRY(check_periods(r, seen, entry, camera));
    LR_TRY(check_way_out(r, seen, entry, camera));
    LR_TRY(read_frame(r, seen, entry, camera));
    LR_TRY(read_auto(r, yaml_find(entry, "rays"), MAX_RAYS, &camera->rays));
    if (!camera_meets_mesh(camera, seen->mesh))
        return READER_FAIL(r, field ? field : entry, "the field of view does not meet the mesh; check 'centre', %s",
                           position ? "'position' and 'field'" : "the direction and 'field'");
    return position ? check_surroundings(r, seen, position, camera) : LR_OK;
}

static enum lr_status check_faces(const struct reader *r, const struct observed *seen, const struct yaml_node *cameras)
{
    const struct yaml_node *node = yaml_find(yaml_find(r->tree->root, "mesh"), "faces");
    int n_periodic = 0;
    if (!node)
        node = cameras;
    for (int face = 0; face < N_FACE; face++) {
        if (seen->mesh->face[face] == FACE_REFLECTING)
            return READER_FAIL(r, node,
                               "cameras cannot be used with reflecting faces, which would show mirror images; make "
                               "them open or periodic, or model the whole object");
        n_periodic += seen->mesh->face[face] == FACE_PERIODIC;
    }
    if (n_periodic == N_FACE)
        return READER_FAIL(r, node, "the mesh is periodic along all axes, so lines of sight never end; open one axis");
    return LR_OK;
}

enum lr_status read_cameras(const struct reader *r, const struct observed *seen, const struct yaml_node *node,
                            struct observation *out)
{
    if (yaml_is_empty(node) || (node->kind == YAML_LIST && !node->first))
        return READER_FAIL(r, node, "the list of cameras is empty");
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
    if (node->n_child > MAX_CAMERA)
        return READER_FAIL(r, node, "%d cameras are too many; the maximum is %d", node->n_child, MAX_CAMERA);
    LR_TRY(check_faces(r, seen, node));
    LR_TRY(lr_allocate(r->ctx, (size_t)node->n_child, sizeof *out->camera, &out->camera));
    out->n_camera = node->n_child;
    for (const struct yaml_node *entry = node->first; entry; entry = entry->next)
        LR_TRY(read_camera(r, seen, entry, &out->camera[entry->index]));
    return check_names(r, node, out->camera);
}
