/* Rows of a table of keys, for the files that define tables. */
#ifndef LR_IO_SCHEMA_SCHEMA_ROWS_H
#define LR_IO_SCHEMA_SCHEMA_ROWS_H

#include "io/schema/schema.h"

enum { VALUE = 1 << YAML_SCALAR, LIST = 1 << YAML_LIST, MAP = 1 << YAML_MAP };

/* Anything that `holds` describes. */
#define KEY(key, kind, text, otherwise, says)                                                                          \
    {                                                                                                                  \
        .name = (key), .kinds = (kind), .holds = (text), .fallback = (otherwise), .meaning = (says)                    \
    }
/* One value with a unit. */
#define QUANTITY(key, what, otherwise, says)                                                                           \
    {                                                                                                                  \
        .name = (key), .kinds = VALUE, .dimension = (what), .fallback = (otherwise), .meaning = (says)                 \
    }
/* One of several words, listed in an array that ends with NULL. */
#define WORDS(key, list, otherwise, says)                                                                              \
    {                                                                                                                  \
        .name = (key), .kinds = VALUE, .words = (list), .fallback = (otherwise), .meaning = (says)                     \
    }
/* With mappings, whose tables come last. `text` may be NULL. */
#define MAPS(key, kind, text, otherwise, says, ...)                                                                    \
    {                                                                                                                  \
        .name = (key), .kinds = (kind), .holds = (text), .fallback = (otherwise), .meaning = (says), .map = {          \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
/* The forms of a field other than a single value. */
#define FIELD_MAPS &SCHEMA_DATASET, &SCHEMA_ARRAY, &SCHEMA_OF_SNAPSHOT, &SCHEMA_FORMULA, &SCHEMA_PAINTED
#define FIELD(key, what, otherwise, says)                                                                              \
    {                                                                                                                  \
        .name = (key), .kinds = VALUE | MAP, .dimension = (what), .holds = "field", .fallback = (otherwise),           \
        .meaning = (says), .map = {                                                                                    \
            FIELD_MAPS                                                                                                 \
        }                                                                                                              \
    }

#define SCHEMA_TABLE(identifier, path, says, rows)                                                                     \
    const struct schema SCHEMA_##identifier = {                                                                        \
        .name = (path), .meaning = (says), .key = (rows), .n_key = (int)(sizeof(rows) / sizeof *(rows))}

#endif
