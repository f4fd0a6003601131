/* The keys of a model file: a table for every mapping in it. Readers accept exactly these keys, and take lists of words
 * from here; `linerad keys` and the tables of docs/model_reference.md are printed from the same tables. */
#ifndef LR_IO_SCHEMA_SCHEMA_H
#define LR_IO_SCHEMA_SCHEMA_H

#include "base/units.h"
#include "io/yaml/yaml_tree.h"

enum {
    SCHEMA_MOST_TABLES = 80,
    SCHEMA_MOST_MAPS = 8, /* of one key */
    SCHEMA_MOST_KEYS = 48 /* maximum number of tables that one mapping may follow */
};

struct schema;

/* Texts are plain, except for `code` in backticks. */
struct schema_key {
    const char *name;
    unsigned kinds;           /* a bit 1 << enum yaml_kind for each allowed kind of node */
    enum dimension dimension; /* of a value or a field; DIMENSION_NONE if dimensionless */
    const char *holds;        /* "three lengths"; NULL if given by dimension, words or maps */
    const char *fallback;     /* the default: `code` if it is a valid value, or words such as "required" */
    const char *meaning;
    const char *const *words;                   /* all allowed words, then NULL; or NULL */
    const struct schema *map[SCHEMA_MOST_MAPS]; /* tables of the mapping it may be or, for a list, of its entries */
};

struct schema {
    const char *name;    /* "mesh.edges": a path in a model, without the numbers of lists */
    const char *meaning; /* one line */
    const struct schema_key *key;
    int n_key;
};

/* Every table, in the order in which they are listed. */
#define SCHEMAS(X)                                                                                                     \
    X(MODEL)                                                                                                           \
    X(MESH)                                                                                                            \
    X(EDGES)                                                                                                           \
    X(FACES)                                                                                                           \
    X(REFINE)                                                                                                          \
    X(BRICKS)                                                                                                          \
    X(SHELL_EDGES)                                                                                                     \
    X(SNAPSHOT)                                                                                                        \
    X(ROLL)                                                                                                            \
    X(CUT)                                                                                                             \
    X(CODE_UNITS)                                                                                                      \
    X(SCALAR)                                                                                                          \
    X(LINE)                                                                                                            \
    X(MOLECULE)                                                                                                        \
    X(ROTOR)                                                                                                           \
    X(GROUP)                                                                                                           \
    X(GROUP_LINE)                                                                                                      \
    X(LINES)                                                                                                           \
    X(MEDIUM)                                                                                                          \
    X(COLLIDERS)                                                                                                       \
    X(COLLIDER_RATES)                                                                                                  \
    X(DESTRUCTION)                                                                                                     \
    X(ABUNDANCE)                                                                                                       \
    X(ABUNDANCE_CUTOFF)                                                                                                \
    X(ABUNDANCE_TABLE)                                                                                                 \
    X(TEMPERATURE)                                                                                                     \
    X(IDEAL_GAS)                                                                                                       \
    X(SOURCE)                                                                                                          \
    X(POINT)                                                                                                           \
    X(PLANE)                                                                                                           \
    X(VOLUME)                                                                                                          \
    X(PACKETS)                                                                                                         \
    X(STAR)                                                                                                            \
    X(THERMAL)                                                                                                         \
    X(SPECTRUM)                                                                                                        \
    X(GAUSSIAN)                                                                                                        \
    X(BAND)                                                                                                            \
    X(SPECTRUM_TABLE)                                                                                                  \
    X(POPULATIONS)                                                                                                     \
    X(PHYSICS)                                                                                                         \
    X(OUTPUT)                                                                                                          \
    X(DIRECTIONS)                                                                                                      \
    X(UNTIL)                                                                                                           \
    X(CHANNELS)                                                                                                        \
    X(CAMERA)                                                                                                          \
    X(IMAGE)                                                                                                           \
    X(BEAM)                                                                                                            \
    X(SKY)                                                                                                             \
    X(SUBCELL)                                                                                                         \
    X(RUN)                                                                                                             \
    X(DATASET)                                                                                                         \
    X(ARRAY)                                                                                                           \
    X(OF_SNAPSHOT)                                                                                                     \
    X(FORMULA)                                                                                                         \
    X(PAINTED)                                                                                                         \
    X(REGION)                                                                                                          \
    X(BOX)                                                                                                             \
    X(SPHERE)                                                                                                          \
    X(SHELL)                                                                                                           \
    X(SLAB)

#define SCHEMA_DECLARE(name) extern const struct schema SCHEMA_##name;
SCHEMAS(SCHEMA_DECLARE)
#undef SCHEMA_DECLARE
extern const struct schema SCHEMA_NOTHING;      /* a mapping without keys */
extern const struct schema *const SCHEMA_ALL[]; /* then NULL */

/* The key of a table; NULL if there is none of that name. */
const struct schema_key *schema_find(const struct schema *schema, const char *key);

/* Fail unless the node is a mapping whose keys are all in one of the tables (`any` ends with NULL), and a value, list
 * or mapping as specified. If a key allows several kinds, its reader checks them. */
enum lr_status schema_check(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *map,
                            const struct schema *const *any);

#endif
