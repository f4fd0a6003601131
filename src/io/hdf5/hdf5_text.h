/* HDF5 types read from a file: string attributes, of fixed or variable length, one or several; and a check that a
 * numeric type is valid. The caller must silence HDF5's own error stack. */
#ifndef LR_IO_HDF5_HDF5_TEXT_H
#define LR_IO_HDF5_HDF5_TEXT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

/* HDF5 has no checksums for text of variable length: datasets of it have this attribute, the 64-bit FNV-1a hash of
 * their bytes in hexadecimal. */
#define HDF5_TEXT_HASH "fnv1a"
enum { HDF5_HASH_SIZE = 17 };
void hdf5_text_hash(const char *text, char hash[HDF5_HASH_SIZE]);

/* At most `most` texts of less than `size` bytes into texts[most][size], without trailing blanks; *n is their number.
 * False if the attribute is not text, or does not fit. */
bool hdf5_text_read(hid_t attribute, int most, size_t size, char *texts, int *n);

/* One string attribute of an open object; false if there is none. */
bool hdf5_text_attribute(hid_t object, const char *name, size_t size, char *text);

/* True for integers and floats of up to 16 bytes whose bits lie inside them: HDF5 does not check that of a damaged file
 * before it converts. */
bool hdf5_type_is_number(hid_t type);
/* Whether the values of a dataset can take more space than is stored of them. */
bool hdf5_may_be_compressed(hid_t dataset);

#endif
