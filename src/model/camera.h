/* Where images are taken from and how they are written. Lengths in cm, angles in radians, velocities in cm/s.
 *
 * An orthographic camera sees along parallel lines. A perspective camera is a pinhole: equal pixels on a plane, so that
 * a line of sight at the angles (p, q) from the axis meets the image plane at (tan p, tan q) (FITS projection TAN).
 *
 * Image axes: pixel (0, 0) is the lower left corner; x runs along `right`, y along `up`. `toward` points from the
 * object to the observer and right = up x toward, so that an observer at +z with up = +y sees x to the right. */
#ifndef LR_MODEL_CAMERA_H
#define LR_MODEL_CAMERA_H

#include <stdbool.h>

#include "mesh/mesh.h"

enum camera_kind { CAMERA_ORTHOGRAPHIC, CAMERA_PERSPECTIVE };
enum { MAX_RAYS = 16, MAX_CAMERA = 256, MAX_PIXEL = 16384, MAX_CHANNEL = 100000, MAX_SAMPLES = 64 };
enum { IMAGE_GROUPS = 8 }; /* independent sums of the emissivity that give the errors of an image */

struct camera {
    char name[64]; /* letters, digits, - and _: used in file names; unique */
    enum camera_kind kind;
    double toward[3], right[3], up[3]; /* unit vectors */
    double centre[3];                  /* the point of the mesh at the image centre */
    double position[3];                /* PERSPECTIVE: the observer; toward points from the centre to it */
    double field[2];                   /* along right and up: cm, or full angles for a PERSPECTIVE camera */
    int pixels[2];
    int rays; /* along each side of a pixel, so rays^2 per pixel; 0 = automatic */
};

/* Channel k holds radio velocities first + k width to first + (k + 1) width, positive = receding. */
struct channels {
    int n; /* 0 = no images */
    double first, width;
    int samples; /* frequencies traced per channel, 0 = automatic; 1 = only the channel centre */
};

enum brightness_unit { UNIT_KELVIN, UNIT_JY_PER_PIXEL, UNIT_JY_PER_SR, UNIT_JY_PER_BEAM, UNIT_PHOTON, UNIT_SURFACE };
enum image_method { IMAGE_TWO_STEP, IMAGE_PEEL_OFF };

struct image_options {
    enum image_method method;
    double background;  /* K, of the sky behind the mesh; 0 = dark */
    bool subtract;      /* subtract the background from the image */
    bool step_velocity; /* linear inside cells where it changes by more than b/4; not if light is scattered */
    bool step_source;   /* source function linear inside cells; otherwise constant */

    enum brightness_unit unit;
    double beam[3];  /* FWHM major, minor; position angle from up toward the left (north through east). 0 = no beam */
    double distance; /* 0 = not given */
    double sky[2];   /* right ascension and declination of the image centre */
    double velocity; /* systemic, added to the velocity axis of files */

    bool moments, peak, spectrum; /* additional files for each cube */
    bool optical_depth;           /* a cube of the channel-mean optical depth through the mesh */
    bool report;                  /* report optical depths, columns and centroids */
    bool column;                  /* a map of the column density of the molecule */
    bool errors;                  /* standard error per pixel and channel (and per voxel of a stored emissivity) */
    bool emissivity;              /* store it in the result, for `linerad image` */
};

/* The direction at the angle theta from the z axis and phi from the x axis about it. */
void camera_from_angles(double theta, double phi, double toward[3]);
/* right and up from toward: up is +z as seen on the sky, or +y for a view along z, rotated by `roll` to the left. */
void camera_orient(struct camera *camera, double roll);

/* Width and height of the image plane: cm, or tangents at unit distance of a PERSPECTIVE camera. */
void camera_plane(const struct camera *camera, double plane[2]);
/* The plane, centred on the image, that contains the whole mesh; at most 90 degrees for a PERSPECTIVE camera. */
void camera_fit_plane(const struct camera *camera, const struct mesh *mesh, double plane[2]);
/* Set field and pixels to square pixels: `longest` along the longer side of the plane, the shorter one widened to whole
 * pixels. */
void camera_divide_plane(struct camera *camera, const double plane[2], int longest);
/* The same with the given pixels, both sides wide enough. */
void camera_widen_plane(struct camera *camera, const double plane[2]);
/* Side of a pixel: cm, or radians at the centre of the image of a PERSPECTIVE camera. */
double camera_pixel_size(const struct camera *camera);

/* Whether any line of sight in the field of view meets the mesh, which is infinite along periodic axes. */
bool camera_meets_mesh(const struct camera *camera, const struct mesh *mesh);

#endif
