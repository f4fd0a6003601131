/* Keys of the sections `channels`, `cameras` and `image`. */
#include "io/schema/schema_rows.h"

static const char *const UNITS[] = {"K", "Jy/pixel", "Jy/sr", "Jy/beam", "photon", NULL}; /* enum brightness_unit */
static const char *const METHODS[] = {"two-step", "peel-off", NULL};                      /* enum image_method */

static const struct schema_key CHANNELS[] = {
    KEY("number", VALUE, "whole number, 1 to 1e5", "required", "of channels"),
    KEY("range", LIST, "two frequencies", "required",
        "ends of the first and last channel, usually radio velocities (positive = receding)"),
    KEY("samples", VALUE, "whole number, 1 to 64, or `auto`", "`auto`",
        "frequencies traced in each channel; 1 is its middle alone"),
};
SCHEMA_TABLE(CHANNELS, "channels", "the velocity channels of all images", CHANNELS);

static const struct schema_key CAMERA[] = {
    KEY("name", VALUE, "letters, digits, `-` and `_`", "`camera1`, `camera2`, ...", "part of file names"),
    KEY("direction", VALUE | LIST, "direction", "required, or `theta` or `position`",
        "from the object to an observer far away: `+x`, `-x`, `+y`, ... or three numbers"),
    QUANTITY("theta", DIMENSION_ANGLE, "none", "the same by angles: 0 to 180 deg from the z axis"),
    QUANTITY("phi", DIMENSION_ANGLE, "`0 deg`", "with `theta`: from the x axis about the z axis"),
    QUANTITY("roll", DIMENSION_ANGLE, "`0 deg`",
             "turns up towards the left; without it up is +z as seen on the sky, +y for a view along z"),
    KEY("centre", LIST, "three lengths", "centre of the mesh", "the point in the middle of the image"),
    KEY("offset", LIST, "two lengths", "`[0 cm, 0 cm]`",
        "of the middle of the image from `centre`, to the right and up; not with `position`"),
    KEY("field", VALUE | LIST, "one or two lengths; angles with `position`", "the whole mesh, at most 90 deg",
        "width and height of the image"),
    KEY("rays", VALUE, "whole number, 1 to 16, or `auto`", "`auto`",
        "per pixel and direction, so `rays^2` in a pixel; on shells how much finer than `auto` the rings are"),
    KEY("pixels", VALUE | LIST, "one or two whole numbers, 1 to 16384", "`128`",
        "width and height; one number counts along the longer side. Pixels are square"),
    KEY("position", LIST, "three lengths", "none", "of an observer nearby, who looks at `centre`"),
};
SCHEMA_TABLE(CAMERA, "cameras", "one observer, far away or nearby", CAMERA);

static const struct schema_key IMAGE[] = {
    WORDS("unit", UNITS, "`K`", "of the cubes; `K` is the Rayleigh-Jeans brightness temperature"),
    QUANTITY("distance", DIMENSION_LENGTH, "none",
             "of a far observer: makes angles of pixels; needed for `beam`, `Jy/pixel` and `Jy/beam`"),
    MAPS("beam", VALUE | MAP, "angle, `{major, minor, angle}` or `none`", "`none`",
         "FWHM of a Gaussian that the cubes are convolved with, not below a pixel", &SCHEMA_BEAM),
    MAPS("position", MAP, NULL, "`{ra: 0 deg, dec: 0 deg}`", "of the centre of the image on the sky", &SCHEMA_SKY),
    QUANTITY("velocity", DIMENSION_VELOCITY, "`0 km/s`", "systemic; added to the velocities that are written"),
    KEY("background", VALUE, "temperature, `none` or `cmb`", "`none`", "of the sky behind the mesh; `cmb` is 2.725 K"),
    KEY("subtract_background", VALUE, "truth value", "`false`",
        "from the cubes; external sources behind the mesh are part of it"),
    KEY("moments", VALUE, "truth value", "`false`", "maps of moments 0, 1 and 2"),
    KEY("peak", VALUE, "truth value", "`false`", "a map of the peak"),
    KEY("spectrum", VALUE, "truth value", "`true`", "of the whole image, as text"),
    KEY("optical_depth", VALUE, "truth value", "`false`", "a cube of the optical depth through the mesh"),
    KEY("column", VALUE, "truth value", "`false`", "a map of the column density of the molecule"),
    KEY("report", VALUE, "truth value", "`true`", "numbers of each image: depths, correlations, centroids"),
    KEY("errors", VALUE, "truth value", "`false`",
        "a cube of one standard error per pixel and channel; the emissivity takes 8 times the memory"),
    KEY("emissivity", VALUE, "truth value", "`false`",
        "keep it and the gas in the result, so that `linerad image` can make other images of the same run"),
    MAPS("subcell", VALUE | MAP, "truth value, or `{velocity, source}`", "`true`",
         "interpolate the velocity and the source function inside cells", &SCHEMA_SUBCELL),
    WORDS("method", METHODS, "`two-step`",
          "light is left in cells and collected along lines of sight, or every scattering is sent to every camera"),
};
SCHEMA_TABLE(IMAGE, "image", "how the images of all cameras are made and written", IMAGE);

static const struct schema_key BEAM[] = {
    QUANTITY("major", DIMENSION_ANGLE, "required", "FWHM along the longer axis"),
    QUANTITY("minor", DIMENSION_ANGLE, "that of `major`", "along the shorter one"),
    QUANTITY("angle", DIMENSION_ANGLE, "`0 deg`", "of the longer axis, from up towards the left"),
};
SCHEMA_TABLE(BEAM, "image.beam", "an elliptical beam", BEAM);

static const struct schema_key SKY[] = {
    QUANTITY("ra", DIMENSION_ANGLE, "required", "right ascension, 0 to 360 deg"),
    QUANTITY("dec", DIMENSION_ANGLE, "required", "declination, -90 to 90 deg"),
};
SCHEMA_TABLE(SKY, "image.position", "a place on the sky", SKY);

static const struct schema_key SUBCELL[] = {
    KEY("velocity", VALUE, "truth value", "`true`", "of the gas"),
    KEY("source", VALUE, "truth value", "`true`", "function"),
};
SCHEMA_TABLE(SUBCELL, "image.subcell", "what is interpolated inside cells", SUBCELL);
