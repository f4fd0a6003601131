/* Types of HDF5 that come from a file: string attributes, of fixed or variable length, one or several; and whether a
 * number is one. HDF5's own error stack is the caller's to silence. */
#ifndef LR_IO_HDF5_HDF5_TEXT_H
#define LR_IO_HDF5_HDF5_TEXT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

/* At most `most` texts of less than `size` bytes into texts[most][size], without blanks at their ends; *n is how many.
 * False when the attribute is not text, or does not fit. */
bool hdf5_text_read(hid_t attribute, int most, size_t size, char *texts, int *n);

/* One text of an attribute of an open object; false when there is none. */
bool hdf5_text_attribute(hid_t object, const char *name, size_t size, char *text);

/* True for integers and floats of up to 16 bytes whose bits lie inside them: HDF5 does not check that of a damaged file
 * before it converts. */
bool hdf5_type_is_number(hid_t type);

#endif
