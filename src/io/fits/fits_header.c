#include "io/fits/fits_header.h"

#include <stdio.h>

#include "base/constants.h"
#include "model/cube_unit.h"

static const double degree = LR_PI / 180.0;

/* CFITSIO takes text through non-const pointers, without changing it. */
static void put_text(fitsfile *file, const char *key, const char *text, const char *comment, int *status)
{
    fits_write_key_str(file, key, (char *)text, comment, status);
}

/* In the fixed FITS format a number has 20 columns, so a long one loses its last digits. */
static void put_number(fitsfile *file, const char *key, double value, const char *comment, int *status)
{
    enum { PLAIN = -15, EXPONENTIAL = 13, COLUMNS = 20 };
    const int length = snprintf(NULL, 0, "%.15G", value);
    fits_write_key_dbl(file, key, value, length <= COLUMNS ? PLAIN : EXPONENTIAL, comment, status);
}

struct axis {
    const char *type, *unit;
    double reference_pixel, reference, step;
};

static void put_axis(fitsfile *file, int number, const struct axis *axis, int *status)
{
    char key[FLEN_KEYWORD];
    fits_make_keyn("CTYPE", number, key, status);
    put_text(file, key, axis->type, NULL, status);
    fits_make_keyn("CUNIT", number, key, status);
    put_text(file, key, axis->unit, NULL, status);
    fits_make_keyn("CRPIX", number, key, status);
    put_number(file, key, axis->reference_pixel, NULL, status);
    fits_make_keyn("CRVAL", number, key, status);
    put_number(file, key, axis->reference, NULL, status);
    fits_make_keyn("CDELT", number, key, status);
    put_number(file, key, axis->step, NULL, status);
}

/* FITS counts pixels from 1, with integers at their centres. */
static double middle_pixel(int n)
{
    return 0.5 * (n + 1);
}

/* North is up and east is left, so right ascension decreases along the first axis. */
static void put_sky(fitsfile *file, const struct camera *camera, const struct image_options *options, int *status)
{
    const double step_x = cube_pixel_angle(camera, options->distance, 0) / degree;
    const double step_y = cube_pixel_angle(camera, options->distance, 1) / degree;
    const double right_ascension = options->sky[0] / degree, declination = options->sky[1] / degree;
    put_axis(file, 1, &(struct axis){"RA---TAN", "deg", middle_pixel(camera->pixels[0]), right_ascension, -step_x},
             status);
    put_axis(file, 2, &(struct axis){"DEC--TAN", "deg", middle_pixel(camera->pixels[1]), declination, step_y}, status);
    put_number(file, "LONPOLE", 180.0, "north is up, also at a pole", status);
    put_number(file, "LATPOLE", declination, NULL, status);
    put_text(file, "RADESYS", "ICRS", NULL, status);
}

/* Without a distance there are no angles: offsets from the image centre to the right and up. */
static void put_offsets(fitsfile *file, const struct camera *camera, int *status)
{
    static const char *const type[2] = {"XOFFSET", "YOFFSET"};
    for (int i = 0; i < 2; i++)
        put_axis(file, i + 1,
                 &(struct axis){type[i], "pc", middle_pixel(camera->pixels[i]), 0.0,
                                camera->field[i] / camera->pixels[i] / LR_PARSEC},
                 status);
}

static void put_velocity(fitsfile *file, const struct cube *cube, double systemic, int *status)
{
    const double cm_per_m = 100.0;
    const double middle = cube->channels.first + 0.5 * cube->channels.width + systemic;
    put_axis(file, 3, &(struct axis){"VRAD", "m/s", 1.0, middle / cm_per_m, cube->channels.width / cm_per_m}, status);
    put_text(file, "SPECSYS", "LSRK", NULL, status);
}

static void put_beam(fitsfile *file, const double beam[3], int *status)
{
    put_number(file, "BMAJ", beam[0] / degree, "[deg] FWHM of the beam", status);
    put_number(file, "BMIN", beam[1] / degree, "[deg]", status);
    put_number(file, "BPA", beam[2] / degree, "[deg] of the major axis, north through east", status);
}

void fits_header_write(fitsfile *file, const struct fits_image *image, int *status)
{
    const struct camera *camera = &image->cube->camera;
    const struct image_options *options = image->options;
    if (cube_pixel_angle(camera, options->distance, 0) > 0.0)
        put_sky(file, camera, options, status);
    else
        put_offsets(file, camera, status);
    if (!image->map)
        put_velocity(file, image->cube, options->velocity, status);
    put_number(file, "RESTFRQ", image->cube->nu0, "[Hz]", status);
    put_text(file, "CELLSCAL", "CONSTANT", NULL, status);
    put_text(file, "BUNIT", image->unit, NULL, status);
    put_text(file, "BTYPE", image->type, NULL, status);
    if (image->convolved)
        put_beam(file, options->beam, status);
    put_text(file, "OBJECT", image->object, NULL, status);
    put_text(file, "ORIGIN", FITS_ORIGIN " " LR_VERSION, NULL, status);
    if (*image->run)
        put_text(file, "RUNID", image->run, "the same in all files of a run", status);
    if (*image->partial)
        put_text(file, "PARTIAL", image->partial, "the run was stopped", status);
    for (int i = 0; i < image->n_history; i++)
        fits_write_history(file, image->history[i], status);
    fits_write_date(file, status);
}
