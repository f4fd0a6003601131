/* The geometry of a camera: image axes, visibility of the mesh, pixels. */
#include "model/camera.h"

#include <math.h>

#include "base/constants.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* ---- Orientation ---- */

void camera_from_angles(double theta, double phi, double toward[3])
{
    toward[0] = sin(theta) * cos(phi);
    toward[1] = sin(theta) * sin(phi);
    toward[2] = cos(theta);
    /* 90 degrees means exactly perpendicular: the cosine of the nearest double would let a line of sight creep along
     * the axis. */
    for (int d = 0; d < 3; d++)
        if (fabs(toward[d]) < 1e-15)
            toward[d] = 0.0;
}

void camera_orient(struct camera *camera, double roll)
{
    const double *toward = camera->toward;
    const int axis = hypot(toward[0], toward[1]) < 1e-9 ? 1 : 2;
    double up[3], right[3];
    for (int d = 0; d < 3; d++)
        up[d] = (d == axis) - toward[axis] * toward[d];
    const double length = sqrt(dot(up, up));
    for (int d = 0; d < 3; d++)
        up[d] /= length;
    cross(up, toward, right);
    for (int d = 0; d < 3; d++) {
        camera->up[d] = cos(roll) * up[d] - sin(roll) * right[d];
        camera->right[d] = cos(roll) * right[d] + sin(roll) * up[d];
    }
}

/* ---- Image plane and pixels ---- */

void camera_plane(const struct camera *camera, double plane[2])
{
    for (int i = 0; i < 2; i++)
        plane[i] = camera->kind == CAMERA_PERSPECTIVE ? 2.0 * tan(0.5 * camera->field[i]) : camera->field[i];
}

static void set_plane(struct camera *camera, const double plane[2])
{
    for (int i = 0; i < 2; i++)
        camera->field[i] = camera->kind == CAMERA_PERSPECTIVE ? 2.0 * atan(0.5 * plane[i]) : plane[i];
}

static void find_corner(const struct mesh *mesh, int corner, double point[3])
{
    for (int d = 0; d < 3; d++)
        point[d] = corner >> d & 1 ? mesh_upper(mesh, d) : mesh_lower(mesh, d);
}

void camera_fit_plane(const struct camera *camera, const struct mesh *mesh, double plane[2])
{
    const double widest = 2.0; /* 2 tan(45 degrees) */
    const bool near = camera->kind == CAMERA_PERSPECTIVE;
    const double *origin = near ? camera->position : camera->centre;
    if (mesh->kind == MESH_SHELLS && !near) {
        plane[0] = 2.0 * (mesh_upper(mesh, 0) + fabs(dot(origin, camera->right)));
        plane[1] = 2.0 * (mesh_upper(mesh, 0) + fabs(dot(origin, camera->up)));
        return;
    }
    plane[0] = plane[1] = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        double point[3];
        find_corner(mesh, corner, point);
        for (int d = 0; d < 3; d++)
            point[d] -= origin[d];
        const double depth = near ? -dot(point, camera->toward) : 1.0;
        const double across = fabs(dot(point, camera->right)), along = fabs(dot(point, camera->up));
        plane[0] = fmax(plane[0], depth > 0.0 ? 2.0 * across / depth : widest);
        plane[1] = fmax(plane[1], depth > 0.0 ? 2.0 * along / depth : widest);
    }
    for (int i = 0; near && i < 2; i++)
        plane[i] = fmin(plane[i], widest);
}

void camera_divide_plane(struct camera *camera, const double plane[2], int longest)
{
    const int longer = plane[1] > plane[0], shorter = !longer;
    const double pixel = plane[longer] / longest;
    const double whole = ceil(plane[shorter] / pixel - 1e-6);
    camera->pixels[longer] = longest;
    camera->pixels[shorter] = whole > 1.0 ? (int)whole : 1;
    camera_widen_plane(camera, plane);
}

void camera_widen_plane(struct camera *camera, const double plane[2])
{
    const double pixel = fmax(plane[0] / camera->pixels[0], plane[1] / camera->pixels[1]);
    const double wide[2] = {pixel * camera->pixels[0], pixel * camera->pixels[1]};
    set_plane(camera, wide);
}

double camera_pixel_size(const struct camera *camera)
{
    double plane[2];
    camera_plane(camera, plane);
    return plane[0] / camera->pixels[0];
}

/* ---- Does it see the mesh? Two disjoint convex bodies are separated by a plane whose normal is that of a face of one
 * of them, or perpendicular to an edge of each. ---- */

/* Smallest and largest axis . (x - origin) over the mesh. */
static void project_mesh(const struct mesh *mesh, const double origin[3], const double axis[3], double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        double point[3];
        find_corner(mesh, corner, point);
        for (int d = 0; d < 3; d++)
            point[d] -= origin[d];
        range[0] = fmin(range[0], dot(axis, point));
        range[1] = fmax(range[1], dot(axis, point));
    }
    for (int d = 0; d < 3; d++)
        if (mesh->face[2 * d] == FACE_PERIODIC && fabs(axis[d]) > 1e-12 * sqrt(dot(axis, axis))) {
            range[0] = -INFINITY;
            range[1] = INFINITY;
        }
}

/* A beam of rectangular cross-section: normals lie in the image plane, perpendicular to its sides or to the projected
 * edges of the mesh. */
static bool beam_meets_mesh(const struct camera *camera, const struct mesh *mesh)
{
    for (int i = 0; i < 5; i++) {
        double axis[3] = {i == 2, i == 3, i == 4}, range[2];
        if (i < 2)
            for (int d = 0; d < 3; d++)
                axis[d] = i == 0 ? camera->right[d] : camera->up[d];
        else
            cross((const double[3]){axis[0], axis[1], axis[2]}, camera->toward, axis);
        project_mesh(mesh, camera->centre, axis, range);
        const double half =
            0.5 * (fabs(dot(axis, camera->right)) * camera->field[0] + fabs(dot(axis, camera->up)) * camera->field[1]);
        if (range[0] > half || range[1] < -half)
            return false;
    }
    return true;
}

/* True if the plane through the observer normal to `axis` has the whole mesh below and the whole cone above it. */
static bool plane_parts(const struct camera *camera, const struct mesh *mesh, double edge[4][3], const double axis[3])
{
    double range[2], lowest = INFINITY, size = 0.0;
    for (int k = 0; k < 4; k++) {
        lowest = fmin(lowest, dot(axis, edge[k]));
        size = fmax(size, fabs(dot(axis, edge[k])));
    }
    project_mesh(mesh, camera->position, axis, range);
    return size > 0.0 && lowest >= -1e-12 * size && range[1] < 0.0;
}

/* The infinite viewing cone of the observer. */
static bool cone_meets_mesh(const struct camera *camera, const struct mesh *mesh)
{
    double plane[2], edge[4][3], axis[3];
    camera_plane(camera, plane);
    for (int k = 0; k < 4; k++) {
        const double x = (k == 0 || k == 3 ? -0.5 : 0.5) * plane[0], y = (k < 2 ? -0.5 : 0.5) * plane[1];
        for (int d = 0; d < 3; d++)
            edge[k][d] = x * camera->right[d] + y * camera->up[d] - camera->toward[d];
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int d = 0; d < 3; d++) {
            const double normal[3] = {(d == 0) * sign, (d == 1) * sign, (d == 2) * sign};
            if (plane_parts(camera, mesh, edge, normal))
                return false;
            for (int k = 0; k < 4; k++) {
                cross(normal, edge[k], axis);
                if (plane_parts(camera, mesh, edge, axis))
                    return false;
            }
        }
        for (int k = 0; k < 4; k++) {
            cross(edge[k], edge[(k + 1) % 4], axis);
            for (int d = 0; d < 3; d++)
                axis[d] *= sign;
            if (plane_parts(camera, mesh, edge, axis))
                return false;
        }
    }
    return true;
}

bool camera_meets_mesh(const struct camera *camera, const struct mesh *mesh)
{
    return camera->kind == CAMERA_PERSPECTIVE ? cone_meets_mesh(camera, mesh) : beam_meets_mesh(camera, mesh);
}
