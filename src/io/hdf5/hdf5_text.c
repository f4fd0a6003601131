#include "io/hdf5/hdf5_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hdf5_text_hash(const char *text, char hash[HDF5_HASH_SIZE])
{
    uint64_t value = 0xcbf29ce484222325u;
    for (const char *c = text; *c; c++)
        value = (value ^ (unsigned char)*c) * 0x100000001b3u;
    snprintf(hash, HDF5_HASH_SIZE, "%016" PRIx64, value);
}

static bool read_variable(hid_t attribute, hid_t memory, int n, size_t size, char *texts)
{
    char **found = calloc((size_t)n, sizeof *found);
    bool good = found && H5Tset_size(memory, H5T_VARIABLE) >= 0 && H5Aread(attribute, memory, found) >= 0;
    for (int i = 0; found && i < n; i++) {
        good = good && found[i] && strlen(found[i]) < size;
        if (good)
            memcpy(texts + (size_t)i * size, found[i], strlen(found[i]) + 1);
        if (found[i])
            H5free_memory(found[i]);
    }
    free(found);
    return good;
}

/* HDF5 pads shorter strings; longer ones were rejected by the caller. */
static bool read_fixed(hid_t attribute, hid_t memory, int n, size_t size, char *texts)
{
    bool good = H5Tset_size(memory, size) >= 0 && H5Aread(attribute, memory, texts) >= 0;
    for (int i = 0; good && i < n; i++)
        texts[(size_t)i * size + size - 1] = '\0';
    return good;
}

static void trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
}

bool hdf5_text_read(hid_t attribute, int most, size_t size, char *texts, int *n)
{
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute), memory = H5Tcopy(H5T_C_S1);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    bool good = type >= 0 && memory >= 0 && H5Tget_class(type) == H5T_STRING && count >= 1 && count <= most &&
                H5Tset_cset(memory, H5Tget_cset(type)) >= 0;
    if (good && H5Tis_variable_str(type) > 0)
        good = read_variable(attribute, memory, (int)count, size, texts);
    else if (good)
        good = H5Tget_size(type) < size && read_fixed(attribute, memory, (int)count, size, texts);
    for (int i = 0; good && i < count; i++)
        trim(texts + (size_t)i * size);
    if (memory >= 0)
        H5Tclose(memory);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    *n = good ? (int)count : 0;
    return good;
}

bool hdf5_text_attribute(hid_t object, const char *name, size_t size, char *text)
{
    int n = 0;
    if (H5Aexists(object, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    bool good = attribute >= 0 && hdf5_text_read(attribute, 1, size, text, &n);
    if (attribute >= 0)
        H5Aclose(attribute);
    return good;
}

static bool float_is_sound(hid_t type, size_t bits)
{
    size_t sign = 0, exponent = 0, exponent_bits = 0, fraction = 0, fraction_bits = 0;
    return H5Tget_fields(type, &sign, &exponent, &exponent_bits, &fraction, &fraction_bits) >= 0 && sign < bits &&
           exponent_bits >= 1 && exponent_bits < 32 && exponent + exponent_bits <= bits && fraction_bits >= 1 &&
           fraction + fraction_bits <= bits;
}

bool hdf5_type_is_number(hid_t type)
{
    enum { LARGEST = 16, BYTE = 8 };
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    if (class != H5T_FLOAT && class != H5T_INTEGER)
        return false;
    const size_t size = H5Tget_size(type), precision = H5Tget_precision(type);
    const int offset = H5Tget_offset(type);
    if (size < 1 || size > LARGEST || precision < 1 || offset < 0 || (size_t)offset + precision > BYTE * size)
        return false;
    return class == H5T_INTEGER || float_is_sound(type, BYTE * size);
}

bool hdf5_may_be_compressed(hid_t dataset)
{
    const hid_t list = H5Dget_create_plist(dataset);
    bool compressed = false;
    for (int i = 0; list >= 0 && i < H5Pget_nfilters(list); i++) {
        unsigned flags = 0;
        size_t none = 0;
        const H5Z_filter_t filter = H5Pget_filter2(list, (unsigned)i, &flags, &none, NULL, 0, NULL, NULL);
        compressed |= filter != H5Z_FILTER_FLETCHER32 && filter != H5Z_FILTER_SHUFFLE;
    }
    if (list >= 0)
        H5Pclose(list);
    return compressed;
}
