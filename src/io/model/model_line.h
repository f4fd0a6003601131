/* Section `line`: an atomic or a molecular line. */
#ifndef LR_IO_MODEL_MODEL_LINE_H
#define LR_IO_MODEL_MODEL_LINE_H

#include "io/model/model_reader.h"

struct molecule;

/* Also the group of the model, of one line or several. */
enum lr_status read_line(const struct reader *r, const struct yaml_node *node, struct line *line);
/* Its constants: frequency, Einstein A, degeneracies and mass; `schema` has them among its keys. */
enum lr_status read_constants(const struct reader *r, const struct yaml_node *map, const struct schema *schema,
                              struct line *line);
/* A group of lines of atoms (model_group.c), from the key `group` of the map, or known by name; `deuterium` may be
 * NULL. *line is its first line. */
enum lr_status read_group(const struct reader *r, const struct yaml_node *map, struct line *line);
enum lr_status read_named_group(const struct reader *r, const struct yaml_node *node, const struct yaml_node *deuterium,
                                struct line *line);
/* A line of a molecule (model_molecule.c), which the model then stores as its species. */
enum lr_status read_molecule(const struct reader *r, const struct yaml_node *map, struct line *line);
/* The molecule of `line.rotor` (model_rotor.c); release with molecule_free(). */
enum lr_status read_rotor(const struct reader *r, const struct yaml_node *map, struct molecule *molecule);

#endif
