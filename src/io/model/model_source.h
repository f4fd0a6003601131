/* Section `sources`: one function per kind of source, and what is checked or added once all are known. */
#ifndef LR_IO_MODEL_MODEL_SOURCE_H
#define LR_IO_MODEL_MODEL_SOURCE_H

#include "io/model/model_reader.h"

/* `node` is NULL if the section is absent: a molecule then emits by itself. */
enum lr_status read_sources(const struct reader *r, const struct yaml_node *node);
/* A position inside the mesh; on shells, their centre. */
enum lr_status read_source_position(const struct reader *r, const struct yaml_node *map, struct source *source);
/* The source kind `thermal` (model_thermal.c). */
enum lr_status read_thermal(const struct reader *r, const struct yaml_node *map, struct source *source);
/* The source kind `gas` (model_gas.c); `map` may be NULL. Errors point at `place`. */
enum lr_status read_gas(const struct reader *r, const struct yaml_node *map, const struct yaml_node *place,
                        struct source *source);
/* The source kind `star` (model_star.c). */
enum lr_status read_star(const struct reader *r, const struct yaml_node *map, struct source *source);
/* Whether a photon from this point in this direction would never leave (model_endless.c). */
bool beam_is_endless(const lr_model *model, const double point[3], const double direction[3]);
/* Refuses a point or plane with such a beam; `map` has its direction. */
enum lr_status check_beam(const struct reader *r, const struct yaml_node *map, const struct source *source);
/* Its spectrum (model_spectrum.c). */
enum lr_status read_spectrum(const struct reader *r, const struct yaml_node *node, bool in_volume,
                             struct spectrum *spectrum);
/* Check that the sources are compatible with populations that the run has to compute. `list` is the section. */
enum lr_status check_pumping(const struct reader *r, const struct yaml_node *list);
/* Make the spectra of stars flat over the channels. */
void spread_stars(lr_model *model);
/* After the images: adds a source for emitting dust, and checks that images are possible for a two-level atom. */
enum lr_status read_dust_light(const struct reader *r);
enum lr_status check_two_level_images(const struct reader *r);

#endif
