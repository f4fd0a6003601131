/* Single values of a model. A NULL node leaves *value unchanged, so defaults are set beforehand. */
#ifndef LR_IO_MODEL_MODEL_VALUE_H
#define LR_IO_MODEL_MODEL_VALUE_H

#include "io/model/model_reader.h"

enum lr_status read_quantity(const struct reader *r, const struct yaml_node *node, enum dimension dimension,
                             double *value);
/* The child `key` of `map`, which is required and must be above zero. */
enum lr_status read_positive(const struct reader *r, const struct yaml_node *map, const char *key,
                             enum dimension dimension, double *value);
/* The same between two limits in CGS, which `range` gives in words with a unit. */
enum lr_status read_within(const struct reader *r, const struct yaml_node *map, const char *key,
                           enum dimension dimension, double low, double high, const char *range, double *value);
enum lr_status read_number(const struct reader *r, const struct yaml_node *node, double low, double high,
                           double *value);
enum lr_status read_integer(const struct reader *r, const struct yaml_node *node, int64_t low, int64_t high,
                            int64_t *value);
enum lr_status read_int(const struct reader *r, const struct yaml_node *node, int low, int high, int *value);
/* A whole number from 1 to `high`, or `auto`, which is 0. */
enum lr_status read_auto(const struct reader *r, const struct yaml_node *node, int high, int *value);
enum lr_status read_bool(const struct reader *r, const struct yaml_node *node, bool *value);
/* The index of the word among `words`; any other word is an error that lists them. */
enum lr_status read_word(const struct reader *r, const struct yaml_node *node, const char *const *words, int n_word,
                         int *value);
/* The same for the words that the schema allows for this key. */
enum lr_status read_choice(const struct reader *r, const struct yaml_node *node, const struct schema *schema,
                           const char *key, int *value);
enum lr_status read_axis(const struct reader *r, const struct yaml_node *node, int *axis);
/* Exactly three quantities. */
enum lr_status read_vector(const struct reader *r, const struct yaml_node *node, enum dimension dimension,
                           double value[3]);
/* Plain numbers [x, y, z] of any nonzero length, or +x, -x, ... -z: a unit vector. */
enum lr_status read_direction(const struct reader *r, const struct yaml_node *node, double direction[3]);
/* The child `key` of `map`; an error if it is missing. */
enum lr_status require_key(const struct reader *r, const struct yaml_node *map, const char *key,
                           const struct yaml_node **child);

#endif
