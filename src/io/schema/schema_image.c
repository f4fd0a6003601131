/* Keys of the sections `channels`, `cameras` and `image`. */
#include "io/schema/schema_rows.h"

static const char *const UNITS[] = {"K", "Jy/pixel", "Jy/sr", "Jy/beam", "photon", "erg/s/cm^2/arcsec^2/Angstrom",
                                    NULL};                           /* enum brightness_unit */
static const char *const METHODS[] = {"two-step", "peel-off", NULL}; /* enum image_method */

static const struct schema_key CHANNELS[] = {
    KEY("number", VALUE, "whole number, 1 to 1e5", "required", "number of channels"),
    KEY("range", LIST, "two frequencies", "required",
        "outer edges of the first and last channel, usually radio velocities (positive = receding)"),
    KEY("samples", VALUE, "whole number, 1 to 64, or `auto`", "`auto`",
        "frequencies traced in each channel; 1 is its centre only"),
};
SCHEMA_TABLE(CHANNELS, "channels", "the velocity channels of all images", CHANNELS);

static const struct schema_key CAMERA[] = {
    KEY("name", VALUE, "letters, digits, `-` and `_`", "`camera1`, `camera2`, ...", "used in file names"),
    KEY("direction", VALUE | LIST, "direction", "required, or `theta` or `position`",
        "from the object to a distant observer: `+x`, `-x`, `+y`, ... or three numbers"),
    QUANTITY("theta", DIMENSION_ANGLE, "none", "the direction as an angle, 0 to 180 deg from the z axis"),
    QUANTITY("phi", DIMENSION_ANGLE, "`0 deg`", "with `theta`: azimuth about the z axis, from the x axis"),
    QUANTITY("roll", DIMENSION_ANGLE, "`0 deg`",
             "rotates the up direction to the left; at 0, up is +z projected on the sky, or +y for a view along z"),
    KEY("centre", LIST, "three lengths", "centre of the mesh", "the point at the centre of the image"),
    KEY("offset", LIST, "two lengths", "`[0 cm, 0 cm]`",
        "of the image centre from `centre`, to the right and up; not with `position`"),
    KEY("field", VALUE | LIST, "one or two lengths; angles with `position`", "the whole mesh, up to 90 deg",
        "width and height of the image"),
    KEY("rays", VALUE, "whole number, 1 to 16, or `auto`", "`auto`",
        "along each side of a pixel, so `rays^2` per pixel; on shells, how much finer than `auto` the rings are"),
    KEY("pixels", VALUE | LIST, "one or two whole numbers, 1 to 16384", "`128`",
        "width and height; a single number is for the longer side. Pixels are square"),
    KEY("position", LIST, "three lengths", "none", "of a nearby observer, looking at `centre`"),
};
SCHEMA_TABLE(CAMERA, "cameras", "one observer, distant or nearby", CAMERA);

static const struct schema_key IMAGE[] = {
    WORDS("unit", UNITS, "`K`", "of the cubes; `K` is the Rayleigh-Jeans brightness temperature"),
    QUANTITY("distance", DIMENSION_LENGTH, "none",
             "of a distant observer, to convert pixels to angles; needed for `beam`, `Jy/pixel` and `Jy/beam`"),
    MAPS("beam", VALUE | MAP, "angle, `{major, minor, angle}` or `none`", "`none`",
         "FWHM of the Gaussian that the cubes are convolved with, at least one pixel", &SCHEMA_BEAM),
    MAPS("position", MAP, NULL, "`{ra: 0 deg, dec: 0 deg}`", "sky coordinates of the image centre", &SCHEMA_SKY),
    QUANTITY("velocity", DIMENSION_VELOCITY, "`0 km/s`", "systemic velocity, added to the velocities in the files"),
    KEY("background", VALUE, "temperature, `none` or `cmb`", "`none`",
        "brightness of the sky behind the mesh; `cmb` is 2.725 K"),
    KEY("subtract_background", VALUE, "true or false", "`false`",
        "subtract the background, including external sources behind the mesh, from the cubes"),
    KEY("moments", VALUE, "true or false", "`false`", "write maps of moments 0, 1 and 2"),
    KEY("peak", VALUE, "true or false", "`false`", "write a map of the peak"),
    KEY("spectrum", VALUE, "true or false", "`true`", "write the spectrum of the whole image, as text"),
    KEY("optical_depth", VALUE, "true or false", "`false`", "write a cube of the optical depth through the mesh"),
    KEY("column", VALUE, "true or false", "`false`", "write a map of the column density of the molecule"),
    KEY("report", VALUE, "true or false", "`true`",
        "report numbers for each image: optical depths, correlations, centroids"),
    KEY("errors", VALUE, "true or false", "`false`",
        "write a cube of the standard error per pixel and channel; the emissivity then takes 8 times the memory"),
    KEY("emissivity", VALUE, "true or false", "`false`",
        "store the emissivity and the gas in the result, so that `linerad image` can make other images of the same "
        "run"),
    MAPS("subcell", VALUE | MAP, "true or false, or `{velocity, source}`", "`true`",
         "interpolate the velocity and the source function inside cells", &SCHEMA_SUBCELL),
    WORDS("method", METHODS, "`two-step`",
          "scattered light is stored in cells and integrated along lines of sight, or each scattering is sent to every "
          "camera"),
};
SCHEMA_TABLE(IMAGE, "image", "how images are made and written, for all cameras", IMAGE);

static const struct schema_key BEAM[] = {
    QUANTITY("major", DIMENSION_ANGLE, "required", "FWHM along the major axis"),
    QUANTITY("minor", DIMENSION_ANGLE, "same as `major`", "FWHM along the minor axis"),
    QUANTITY("angle", DIMENSION_ANGLE, "`0 deg`", "position angle of the major axis, from up through left"),
};
SCHEMA_TABLE(BEAM, "image.beam", "an elliptical beam", BEAM);

static const struct schema_key SKY[] = {
    QUANTITY("ra", DIMENSION_ANGLE, "required", "right ascension, 0 to 360 deg"),
    QUANTITY("dec", DIMENSION_ANGLE, "required", "declination, -90 to 90 deg"),
};
SCHEMA_TABLE(SKY, "image.position", "a position on the sky", SKY);

static const struct schema_key SUBCELL[] = {
    KEY("velocity", VALUE, "true or false", "`true`", "of the gas"),
    KEY("source", VALUE, "true or false", "`true`", "function"),
};
SCHEMA_TABLE(SUBCELL, "image.subcell", "what is interpolated inside cells", SUBCELL);
