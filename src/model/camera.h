/* Where images are taken from and how they are written. Lengths in cm, angles in radians, velocities in cm/s.
 *
 * Image axes: pixel (0, 0) is the lower left corner; x runs along `right`, y along `up`. `toward` points from the
 * object to the observer and right = up x toward, so that an observer at +z with up = +y sees x to the right. */
#ifndef LR_MODEL_CAMERA_H
#define LR_MODEL_CAMERA_H

#include <stdbool.h>

enum camera_kind { CAMERA_ORTHOGRAPHIC, CAMERA_PERSPECTIVE };
enum { MAX_RAYS = 16, MAX_CAMERA = 256, MAX_CHANNEL = 100000, MAX_SAMPLES = 16 };

struct camera {
    char name[64]; /* letters, digits, - and _: part of file names; unique */
    enum camera_kind kind;
    double toward[3], right[3], up[3]; /* unit vectors */
    double centre[3];                  /* the point of the mesh in the middle of the image */
    double position[3];                /* PERSPECTIVE: the observer; toward points from the centre to it */
    double field[2];                   /* along right and up: cm, or full angles of a PERSPECTIVE camera */
    int pixels[2];
    int rays; /* per pixel and direction, so rays^2 in a pixel; 0 = choose */
};

/* Channel k holds radio velocities first + k width to first + (k + 1) width, positive = receding. */
struct channels {
    int n; /* 0 = no images */
    double first, width;
    int samples; /* frequencies traced per channel, 0 = choose; 1 = the middle of the channel alone */
};

enum brightness_unit { UNIT_KELVIN, UNIT_JY_PER_PIXEL, UNIT_JY_PER_SR, UNIT_JY_PER_BEAM, UNIT_PHOTON };
enum image_method { IMAGE_TWO_STEP, IMAGE_PEEL_OFF };

struct image_options {
    enum image_method method;
    double background;  /* K, of the sky behind the mesh; 0 = dark */
    bool subtract;      /* the background from the image */
    bool step_velocity; /* interpolate the velocity inside cells where it changes by more than b/4 */
    bool step_source;   /* source function linear inside cells; otherwise constant */

    enum brightness_unit unit;
    double beam[3];  /* FWHM major, minor; position angle from up toward the left (north through east). 0 = no beam */
    double distance; /* 0 = not given */
    double sky[2];   /* right ascension and declination of the image centre */
    double velocity; /* systemic, added to the velocity axis of what is written */

    bool moments, peak, spectrum; /* further files of each cube */
    bool optical_depth;           /* a cube of the channel-mean optical depth through the mesh */
    bool errors;                  /* one standard error per pixel and channel (and per voxel of a kept emissivity) */
    bool emissivity;              /* keep it in the result, for `linerad image` */
};

#endif
