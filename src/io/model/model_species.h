/* What the medium says about a molecule and about what destroys its photons. */
#ifndef LR_IO_MODEL_MODEL_SPECIES_H
#define LR_IO_MODEL_MODEL_SPECIES_H

#include "io/model/model_reader.h"

/* What the medium says about a molecule (model_species.c): first the keys that conflict with the kind of line, and the
 * temperature of the levels; after b, the densities and from them alpha0 (and eps of a two-level atom). */
enum lr_status refuse_species_keys(const struct reader *r, const struct yaml_node *map);
enum lr_status read_species_temperature(const struct reader *r, const struct yaml_node *map);
enum lr_status read_species(const struct reader *r, const struct yaml_node *map, struct medium *medium);
/* Densities of collision partners, and which rates to use for them (model_colliders.c); the second needs the
 * temperature. */
enum lr_status read_colliders(const struct reader *r, const struct yaml_node *map);
enum lr_status plan_collisions(const struct reader *r, const struct yaml_node *map);
/* `destruction` of the medium (model_destruction.c), after its colliders; a NULL node leaves *eps unchanged. */
enum lr_status read_destruction(const struct reader *r, const struct yaml_node *node, struct field *eps);
bool destruction_needs_hydrogen(const struct yaml_node *medium);
/* If medium.abundance is a recipe (model_abundance.c): densities of the molecule, from the density of H2 and the
 * temperature. */
bool is_abundance_recipe(const struct yaml_node *node);
enum lr_status read_abundance_recipe(const struct reader *r, const struct yaml_node *node, struct field *density);

#endif
