/* Valid HDF5 files with contents that no writer would give them. A fuzzer that changes bytes soon finds crashes of the
 * HDF5 library itself; here the input is a list of changes, one per line, made to a sound file through HDF5:
 *
 *     N                       first line: the file to start from, in the order of their names in $FUZZ_FILES
 *     drop PATH               remove a group or dataset
 *     unset PATH NAME         remove an attribute
 *     number PATH NAME V...   replace an attribute by real numbers
 *     integer PATH NAME V     ... by one 64-bit integer
 *     text PATH NAME WORD     ... by a string
 *     value PATH INDEX V      change one number of a dataset
 *     shape PATH KIND N...    replace a dataset by zeros of this shape: d double, f float, i integer, t text
 *
 * Lines that make no sense are skipped. */
#ifndef LR_TESTS_FUZZ_HDF5_EDITS_H
#define LR_TESTS_FUZZ_HDF5_EDITS_H

#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EDIT_FILES = 32, EDIT_WORDS = 8, EDIT_LINE = 512, EDIT_NUMBERS = 100000 };

struct edit_file {
    char *bytes;
    size_t size;
};

static struct {
    struct edit_file file[EDIT_FILES];
    int n;
    char path[64];
} edits = {.path = "/tmp/linerad_fuzz_XXXXXX"};

static inline void require(bool good)
{
    if (!good)
        abort();
}

static inline void edits_remove(void)
{
    unlink(edits.path);
}

static inline void edits_load(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    require(file && fseek(file, 0, SEEK_END) == 0);
    struct edit_file *made = &edits.file[edits.n++];
    made->size = (size_t)ftell(file);
    made->bytes = malloc(made->size);
    rewind(file);
    require(made->bytes && fread(made->bytes, 1, made->size, file) == made->size);
    fclose(file);
}

static inline void edits_begin(void)
{
    struct dirent **list = NULL;
    const char *folder = getenv("FUZZ_FILES");
    const int n = folder ? scandir(folder, &list, NULL, alphasort) : -1;
    for (int i = 0; i < n; i++) {
        if (strchr(list[i]->d_name, 'h') && list[i]->d_name[0] != '.' && edits.n < EDIT_FILES)
            edits_load(folder, list[i]->d_name);
        free(list[i]);
    }
    free(list);
    if (edits.n == 0) {
        fprintf(stderr, "FUZZ_FILES must name a folder with HDF5 files\n");
        exit(2);
    }
    const int fd = mkstemp(edits.path);
    require(fd >= 0);
    close(fd);
    atexit(edits_remove);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static inline void edits_attribute(hid_t file, const char *path, const char *name, hid_t type, const void *data, int n)
{
    const hsize_t size = (hsize_t)n;
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    if (object < 0)
        return;
    H5Adelete(object, name);
    const hid_t space = n > 1 ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (id >= 0) {
        H5Awrite(id, type, data);
        H5Aclose(id);
    }
    H5Sclose(space);
    H5Oclose(object);
}

static inline void edits_text(hid_t file, const char *path, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    edits_attribute(file, path, name, type, &text, 1);
    H5Tclose(type);
}

static inline void edits_value(hid_t file, const char *path, uint64_t index, double value)
{
    const hid_t id = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t space = id >= 0 ? H5Dget_space(id) : -1, type = id >= 0 ? H5Dget_type(id) : -1;
    const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    const bool number = type >= 0 && (H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER);
    double *values = number && n > 0 && n <= EDIT_NUMBERS ? malloc((size_t)n * sizeof *values) : NULL;
    if (values && H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
        values[index % (uint64_t)n] = value;
        H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    free(values);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (id >= 0)
        H5Dclose(id);
}

/* Large arrays are in chunks that are never written, so that the file stays small. */
static inline void edits_shape(hid_t file, const char *path, char kind, char *const *words, int rank)
{
    hsize_t size[EDIT_WORDS] = {0}, chunk[EDIT_WORDS] = {0};
    double n = 1.0;
    for (int i = 0; i < rank; i++) {
        size[i] = strtoull(words[i], NULL, 10) % (1ULL << 40);
        chunk[i] = size[i] < 1 ? 1 : size[i] < 8 ? size[i] : 8;
        n *= (double)size[i];
    }
    if (H5Ldelete(file, path, H5P_DEFAULT) < 0 || n > 1e18)
        return;
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    if (n > 1000.0)
        H5Pset_chunk(list, rank, chunk);
    const hid_t type = kind == 't' ? text : kind == 'f' ? H5T_IEEE_F32LE : kind == 'i' ? H5T_STD_I64LE : H5T_IEEE_F64LE;
    const hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t id = H5Dcreate2(file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (id >= 0)
        H5Dclose(id);
    H5Sclose(space);
    H5Tclose(text);
    H5Pclose(list);
}

static inline void edits_line(hid_t file, char *line)
{
    char *words[EDIT_WORDS], *rest = NULL;
    int n = 0;
    for (char *word = strtok_r(line, " ", &rest); word && n < EDIT_WORDS; word = strtok_r(NULL, " ", &rest))
        words[n++] = word;
    if (n < 2 || words[1][0] != '/')
        return;
    if (strcmp(words[0], "drop") == 0 && words[1][1]) {
        H5Ldelete(file, words[1], H5P_DEFAULT);
    } else if (strcmp(words[0], "unset") == 0 && n > 2) {
        H5Adelete_by_name(file, words[1], words[2], H5P_DEFAULT);
    } else if (strcmp(words[0], "number") == 0 && n > 3) {
        double values[EDIT_WORDS];
        for (int i = 3; i < n; i++)
            values[i - 3] = strtod(words[i], NULL);
        edits_attribute(file, words[1], words[2], H5T_NATIVE_DOUBLE, values, n - 3);
    } else if (strcmp(words[0], "integer") == 0 && n > 3) {
        const int64_t value = strtoll(words[3], NULL, 10);
        edits_attribute(file, words[1], words[2], H5T_NATIVE_INT64, &value, 1);
    } else if (strcmp(words[0], "text") == 0 && n > 2) {
        edits_text(file, words[1], words[2], n > 3 ? words[3] : "");
    } else if (strcmp(words[0], "value") == 0 && n > 3) {
        edits_value(file, words[1], strtoull(words[2], NULL, 10), strtod(words[3], NULL));
    } else if (strcmp(words[0], "shape") == 0 && n > 2 && words[1][1]) {
        edits_shape(file, words[1], words[2][0], words + 3, n - 3);
    }
}

/* The file that the input describes, at edits.path. */
static inline void edits_apply(const uint8_t *data, size_t size)
{
    if (edits.n == 0)
        edits_begin();
    const struct edit_file *from = &edits.file[size ? data[0] % (unsigned)edits.n : 0];
    const int fd = open(edits.path, O_WRONLY | O_TRUNC);
    require(fd >= 0 && write(fd, from->bytes, from->size) == (ssize_t)from->size);
    close(fd);
    const hid_t file = H5Fopen(edits.path, H5F_ACC_RDWR, H5P_DEFAULT);
    require(file >= 0);
    const uint8_t *end = data + size;
    for (const uint8_t *line = size ? memchr(data, '\n', size) : NULL; line && line < end;) {
        char text[EDIT_LINE] = "";
        const uint8_t *stop = memchr(line + 1, '\n', (size_t)(end - line - 1));
        const size_t length = (size_t)((stop ? stop : end) - line) - 1;
        if (length > 0 && length < sizeof text) {
            memcpy(text, line + 1, length);
            edits_line(file, text);
        }
        line = stop;
    }
    require(H5Fclose(file) >= 0);
}

#endif
