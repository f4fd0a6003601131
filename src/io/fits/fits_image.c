#define _XOPEN_SOURCE 700
#include "io/fits/fits_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/fits/fits_header.h"

enum { CARD = 80, BLOCK = 2880 };

/* ---- files that may be replaced ---- */

/* The text value of a card such as "ORIGIN  = 'linerad 0.1.0'". */
static bool is_our_origin(const char *card)
{
    static const char start[] = "ORIGIN  = '" FITS_ORIGIN;
    const char *next = card + sizeof start - 1;
    return strncmp(card, start, sizeof start - 1) == 0 && (*next == ' ' || *next == '\'');
}

bool fits_image_recognise(const char *path)
{
    enum { MOST_CARDS = 100 * BLOCK / CARD };
    char card[CARD + 1] = "";
    FILE *file = fopen(path, "rb");
    bool ours = false;
    for (int i = 0; file && !ours && i < MOST_CARDS && fread(card, 1, CARD, file) == CARD; i++) {
        if ((i == 0 && strncmp(card, "SIMPLE  =", 9) != 0) || strncmp(card, "END     ", 8) == 0)
            break;
        ours = is_our_origin(card);
    }
    if (file)
        fclose(file);
    return ours;
}

/* ---- writing ---- */

/* The disk is the likely cause of a failed write; CFITSIO does not report the reason, but leaves it in errno. */
static enum lr_status fail(lr_context *ctx, const char *path, int status)
{
    char text[FLEN_STATUS] = "";
    const bool disk = status == WRITE_ERROR || status == FILE_NOT_CLOSED || status == FILE_NOT_CREATED ||
                      status == SEEK_ERROR || status == READ_ERROR;
    const int error = errno;
    fits_get_errstatus(status, text);
    fits_clear_errmsg();
    return lr_fail(ctx, LR_ERROR_IO, "%s: cannot write the FITS file: %s", path,
                   disk && error ? strerror(error) : text);
}

/* Plane by plane, so that no second copy of a large cube is made. */
static void write_planes(fitsfile *file, const struct fits_image *image, bool wide, int n_plane, void *buffer,
                         int *status)
{
    const size_t n = (size_t)image->cube->camera.pixels[0] * (size_t)image->cube->camera.pixels[1];
    for (int plane = 0; plane < n_plane && !*status; plane++) {
        const float *from = image->data + (size_t)plane * n;
        for (size_t i = 0; i < n; i++) {
            const double value = (double)from[i] * image->factor;
            if (wide)
                ((double *)buffer)[i] = value;
            else
                ((float *)buffer)[i] = (float)value;
        }
        fits_write_img(file, wide ? TDOUBLE : TFLOAT, (LONGLONG)plane * (LONGLONG)n + 1, (LONGLONG)n, buffer, status);
    }
}

static void write_file(fitsfile *file, const struct fits_image *image, void *buffer, int *status)
{
    const int *pixels = image->cube->camera.pixels;
    const int n_plane = image->map ? 1 : image->cube->channels.n;
    const size_t n = (size_t)pixels[0] * (size_t)pixels[1] * (size_t)n_plane;
    const bool wide = cube_exceeds_float(image->data, n, image->factor);
    long size[3] = {pixels[0], pixels[1], n_plane};
    fits_create_img(file, wide ? DOUBLE_IMG : FLOAT_IMG, image->map ? 2 : 3, size, status);
    fits_header_write(file, image, status);
    write_planes(file, image, wide, n_plane, buffer, status);
    fits_write_chksum(file, status);
}

static enum lr_status flush(const struct file_set *set, const char *part, const char *path)
{
    int fd = open(part, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return lr_fail(set->ctx, LR_ERROR_IO, "%s: cannot write the FITS file: %s", path, strerror(errno));
    return file_set_flush(set, fd, path, "the FITS file");
}

static enum lr_status write_aside(const struct file_set *set, const struct fits_image *image, const char *part,
                                  const char *path, void *buffer)
{
    fitsfile *file = NULL;
    int status = 0, ignored = 0;
    errno = 0;
    fits_create_diskfile(&file, part, &status); /* takes the name literally: no brackets, no compression */
    if (file) {
        write_file(file, image, buffer, &status);
        if (status)
            fits_delete_file(file, &ignored);
        else
            fits_close_file(file, &status);
    }
    return status ? fail(set->ctx, path, status) : flush(set, part, path);
}

enum lr_status fits_image_write(struct file_set *set, const struct fits_image *image, const char *path)
{
    const size_t n_pixel = (size_t)image->cube->camera.pixels[0] * (size_t)image->cube->camera.pixels[1];
    double *buffer = NULL;
    const char *part = NULL;
    LR_TRY(file_set_add(set, path, &part));
    if (strlen(part) >= FLEN_FILENAME)
        return lr_fail(set->ctx, LR_ERROR_IO, "%s: the name is too long for a FITS file", path);
    LR_TRY(lr_allocate(set->ctx, n_pixel, sizeof *buffer, &buffer));
    enum lr_status status = write_aside(set, image, part, path, buffer);
    free(buffer);
    return status;
}
