#define _XOPEN_SOURCE 700
#include "solve/balls/ball_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* To be raised when the records, the grid of rows or the way they are made change. */
enum { CACHE_VERSION = 7, PATH_SIZE = 4096 };

static const char CACHE_MAGIC[16] = "linerad balls\n";

struct cache_header {
    char magic[16];
    int32_t version, n_level, n_row, dipole;
    double a, x_start, x_wing, least, dipole_core;
    int64_t trials, n_record;
    uint64_t seed, check; /* of all that follows */
};

/* FNV-1a, eight bytes at a time. */
static uint64_t checked(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t check_of(const struct ball_table *table)
{
    uint64_t hash = 0xcbf29ce484222325u;
    hash = checked(hash, table->row, (size_t)table->n_row * sizeof *table->row);
    return checked(hash, table->record, (size_t)table->n_record * sizeof *table->record);
}

/* The folder; 0 if there is none. */
static int folder(char *path)
{
    const char *own = getenv("LINERAD_CACHE");
    const char *caches = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = 0;
    if (own && *own)
        length = snprintf(path, PATH_SIZE, "%s", own);
    else if (caches && *caches == '/')
        length = snprintf(path, PATH_SIZE, "%s/linerad", caches);
    else if (home && *home)
        length = snprintf(path, PATH_SIZE, "%s/.cache/linerad", home);
    return length > 0 && length < PATH_SIZE - 128;
}

/* The file of a table, with its folder made if `create`. */
static int file_name(const struct ball_wish *wish, int create, char *path)
{
    if (!folder(path))
        return 0;
    for (char *slash = path + 1; create && *slash; slash++)
        if (*slash == '/') {
            *slash = 0;
            (void)mkdir(path, 0777);
            *slash = '/';
        }
    if (create)
        (void)mkdir(path, 0777);
    const size_t length = strlen(path);
    const int n = snprintf(path + length, PATH_SIZE - length, "/balls%d-a%.9g-r%g-e%.4g-%lld.bin", CACHE_VERSION,
                           wish->a, wish->least, wish->dipole ? wish->dipole_core : 0.0, (long long)wish->trials);
    return n > 0 && (size_t)n < PATH_SIZE - length;
}

static struct cache_header header_of(const struct ball_wish *wish, const struct ball_table *table)
{
    struct cache_header header;
    memset(&header, 0, sizeof header); /* padding too */
    memcpy(header.magic, CACHE_MAGIC, sizeof header.magic);
    header.version = CACHE_VERSION;
    header.n_level = table->family.n_level;
    header.n_row = table->n_row;
    header.dipole = wish->dipole;
    header.a = wish->a;
    header.x_start = wish->x_start;
    header.x_wing = wish->x_wing;
    header.least = wish->least;
    header.dipole_core = wish->dipole ? wish->dipole_core : 0;
    header.trials = wish->trials;
    header.n_record = table->n_record;
    header.seed = wish->seed;
    header.check = check_of(table);
    return header;
}

/* Whether a file with this header, and this many bytes after it, can serve the wish. */
static int serves(const struct cache_header *header, int64_t rest, const struct ball_wish *wish)
{
    const int64_t enough = 1 << 28;
    if (memcmp(header->magic, CACHE_MAGIC, sizeof header->magic) != 0 || header->version != CACHE_VERSION)
        return 0;
    if (header->a != wish->a || header->x_start != wish->x_start || header->x_wing != wish->x_wing ||
        header->least != wish->least || header->dipole != wish->dipole || header->trials != wish->trials ||
        header->seed != wish->seed || header->dipole_core != (wish->dipole ? wish->dipole_core : 0) ||
        header->n_level < wish->n_level)
        return 0;
    return header->n_level > 0 && header->n_level < 64 && header->n_row == header->n_level * BALL_ROWS &&
           header->n_record > 0 && header->n_record < enough &&
           rest == header->n_row * (int64_t)sizeof(struct ball_row) +
                       header->n_record * (int64_t)sizeof(struct ball_record);
}

/* Indices that point outside would be followed by the kernels, and chances that do not rise to 1 lead there. */
static int is_sound_row(const struct ball_row *row, int64_t n_record)
{
    float before = 0;
    for (int part = 0; part < BALL_PARTS; part++) {
        const float up_to = row->up_to[part];
        if (!(up_to >= before && up_to <= 1) || (up_to > before && row->n[part] == 0) ||
            (int64_t)row->first[part] + row->n[part] > n_record || !isfinite(row->path[part]) ||
            !isfinite(row->scattered[part]))
            return 0;
        before = up_to;
    }
    return before == 1 && isfinite(row->at);
}

static int is_sound(const struct ball_table *table)
{
    for (int i = 0; i < table->n_row; i++)
        if (!is_sound_row(&table->row[i], table->n_record))
            return 0;
    return 1;
}

static int read_table(FILE *file, const struct cache_header *header, struct ball_table *table)
{
    *table = (struct ball_table){.family = {.a = (float)header->a,
                                            .x_start = (float)header->x_start,
                                            .x_wing = (float)header->x_wing,
                                            .least = (float)header->least,
                                            .n_level = header->n_level,
                                            .isotropic = !header->dipole},
                                 .n_row = header->n_row,
                                 .n_record = header->n_record};
    table->row = malloc((size_t)table->n_row * sizeof *table->row);
    table->record = aligned_alloc(64, ((size_t)table->n_record * sizeof *table->record + 63) / 64 * 64);
    return table->row && table->record &&
           fread(table->row, sizeof *table->row, (size_t)table->n_row, file) == (size_t)table->n_row &&
           fread(table->record, sizeof *table->record, (size_t)table->n_record, file) == (size_t)table->n_record &&
           check_of(table) == header->check && is_sound(table);
}

/* The file that serves the wish, after its header; or NULL. */
static FILE *open_table(const struct ball_wish *wish, struct cache_header *header)
{
    char path[PATH_SIZE];
    struct stat status;
    FILE *file = file_name(wish, 0, path) ? fopen(path, "rb") : NULL;
    if (!file)
        return NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) && fread(header, sizeof *header, 1, file) == 1 &&
        serves(header, (int64_t)status.st_size - (int64_t)sizeof *header, wish))
        return file;
    fclose(file);
    return NULL;
}

bool ball_cache_read(const struct ball_wish *wish, struct ball_table *table)
{
    struct cache_header header;
    *table = (struct ball_table){0};
    FILE *file = open_table(wish, &header);
    if (!file)
        return false;
    const bool good = read_table(file, &header, table);
    fclose(file);
    if (!good)
        ball_table_free(table);
    return good;
}

bool ball_cache_holds(const struct ball_wish *wish)
{
    struct ball_table table;
    const bool found = ball_cache_read(wish, &table);
    ball_table_free(&table);
    return found;
}

/* A new file beside `path`, with the rights that the user gives to all files (mkstemp() makes them private, and others
 * may share the folder); -1 if there can be none. */
static int open_new(const char *path, char *part, size_t size)
{
    const int tries = 100;
    int descriptor = -1;
    errno = EEXIST;
    for (int i = 0; i < tries && descriptor < 0 && errno == EEXIST; i++) {
        snprintf(part, size, "%s.%ld.%d", path, (long)getpid(), i);
        descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL, 0666);
    }
    return descriptor;
}

bool ball_cache_write(const struct ball_wish *wish, const struct ball_table *table)
{
    char path[PATH_SIZE], part[PATH_SIZE + 64];
    const struct cache_header header = header_of(wish, table);
    if (!file_name(wish, 1, path))
        return false;
    const int descriptor = open_new(path, part, sizeof part);
    if (descriptor < 0)
        return false;
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
        unlink(part);
        return false;
    }
    bool good = fwrite(&header, sizeof header, 1, file) == 1 &&
                fwrite(table->row, sizeof *table->row, (size_t)table->n_row, file) == (size_t)table->n_row &&
                fwrite(table->record, sizeof *table->record, (size_t)table->n_record, file) == (size_t)table->n_record;
    good = fclose(file) == 0 && good;
    good = good && rename(part, path) == 0;
    if (!good)
        unlink(part);
    return good;
}
