/* Reading a model: the parts of the YAML loader share this state. Each reads one section of the file into one part of
 * the model, checks it, and leaves CGS numbers. */
#ifndef LR_IO_MODEL_MODEL_READER_H
#define LR_IO_MODEL_MODEL_READER_H

#include "base/context.h"
#include "base/units.h"
#include "io/schema/schema.h"
#include "io/snapshot/field_rule.h"
#include "io/yaml/yaml_tree.h"
#include "model/model.h"

struct reader {
    lr_context *ctx;
    struct yaml_tree *tree;
    struct units *units;
    const char *folder; /* of the model file, with a trailing slash, or "": where relative paths start */
    lr_model *model;
    struct snapshot *snapshot; /* what stands in for `mesh` and for keys that `medium` leaves out; or NULL */
    const struct yaml_node *snapshot_node; /* its section */
    const struct lr_array *array;          /* [n_array] of the caller, for {array: NAME} */
    int n_array;
};

#define READER_FAIL(reader, node, ...) yaml_fail((reader)->ctx, (reader)->tree, (node), __VA_ARGS__)
#define READER_WARN(reader, node, ...) yaml_warn((reader)->ctx, (reader)->tree, (node), __VA_ARGS__)
/* Tables of keys, of which the mapping may have any. */
#define READER_KEYS(reader, map, ...)                                                                                  \
    schema_check((reader)->ctx, (reader)->tree, (map), (const struct schema *const[]){__VA_ARGS__, NULL})

/* ---- Single values (model_value.c). A NULL node leaves *value alone, so defaults are set beforehand. ---- */
enum lr_status read_quantity(const struct reader *r, const struct yaml_node *node, enum dimension dimension,
                             double *value);
/* The child `key` of `map`, which must be there and above zero. */
enum lr_status read_positive(const struct reader *r, const struct yaml_node *map, const char *key,
                             enum dimension dimension, double *value);
enum lr_status read_number(const struct reader *r, const struct yaml_node *node, double low, double high,
                           double *value);
enum lr_status read_integer(const struct reader *r, const struct yaml_node *node, int64_t low, int64_t high,
                            int64_t *value);
enum lr_status read_int(const struct reader *r, const struct yaml_node *node, int low, int high, int *value);
/* A whole number from 1 to `high`, or `auto`, which is 0. */
enum lr_status read_auto(const struct reader *r, const struct yaml_node *node, int high, int *value);
enum lr_status read_bool(const struct reader *r, const struct yaml_node *node, bool *value);
/* The index of the word among `words`; others are an error that lists them. */
enum lr_status read_word(const struct reader *r, const struct yaml_node *node, const char *const *words, int n_word,
                         int *value);
/* The same for the words that the schema has for this key. */
enum lr_status read_choice(const struct reader *r, const struct yaml_node *node, const struct schema *schema,
                           const char *key, int *value);
enum lr_status read_axis(const struct reader *r, const struct yaml_node *node, int *axis);
/* Exactly three quantities. */
enum lr_status read_vector(const struct reader *r, const struct yaml_node *node, enum dimension dimension,
                           double value[3]);
/* Plain numbers [x, y, z] of any length but zero, or +x, -x, ... -z: a unit vector. */
enum lr_status read_direction(const struct reader *r, const struct yaml_node *node, double direction[3]);
/* The child `key` of `map`, or an error that it is missing. */
enum lr_status require_key(const struct reader *r, const struct yaml_node *map, const char *key,
                           const struct yaml_node **child);

/* ---- Frequencies (model_shift.c), as shifts c (nu - nu0) / nu0 in cm/s, positive = blue. ---- */
/* A plain number of Doppler units of reference_b, a radio velocity (positive = red), or a frequency. */
enum lr_status read_shift(const struct reader *r, const struct yaml_node *node, double *shift);
/* The same for a width, > 0. */
enum lr_status read_shift_width(const struct reader *r, const struct yaml_node *node, double *width);
/* Two of them that differ, [from, to] in either order, as range[0] < range[1]. */
enum lr_status read_shift_range(const struct reader *r, const struct yaml_node *node, double range[2]);
/* The same for an array with a unit text ("" or "1" = Doppler units), in place. */
enum lr_status convert_shifts(const struct reader *r, const struct yaml_node *node, const char *unit, double *values,
                              int64_t n);

/* ---- Fields over the mesh (model_field.c). ---- */
enum lr_status read_field(const struct reader *r, const struct yaml_node *node, const struct field_rule *rule,
                          struct field *field);
/* Three fields: a list of three, or one dataset of shape (3, ...). On shells one radial field, in field[0]. */
enum lr_status read_vector_field(const struct reader *r, const struct yaml_node *node, const struct field_rule *rule,
                                 struct field field[3]);
/* As mesh_name_cell(). */
void name_cell(const struct mesh *mesh, int64_t cell, char *text, size_t size);

/* ---- Snapshots (model_snapshot.c). ---- */
/* Section `snapshot`: opens the file and makes the mesh. */
enum lr_status read_snapshot(struct reader *r, const struct yaml_node *node, struct mesh *mesh);
/* A field of the snapshot by its index. */
enum lr_status read_snapshot_field(const struct reader *r, int index, const struct field_rule *rule,
                                   struct field *field);
/* medium.KEY, or else the field NAME of the snapshot; *found is false when there is neither. */
enum lr_status read_medium_field(const struct reader *r, const struct yaml_node *map, const char *key, const char *name,
                                 const struct field_rule *rule, struct field *field, bool *found);
/* Fails with what was needed (such as "n_CO or abundance_CO") and what the snapshot has. */
enum lr_status fail_missing(const struct reader *r, const struct yaml_node *map, const char *needed,
                            const char *advice);
/* After the velocity was read: fields that look like one and were not taken for it. */
void warn_of_unread_velocity(const struct reader *r);
/* What was taken from the snapshot, for the report. */
enum lr_status describe_snapshot(const struct reader *r);

/* ---- Files that values live in (model_file.c): {file: F, dataset: D}, or {array: A} of a program. ---- */
struct hdf5_array;
/* Open the dataset and fail unless it is numeric. `file` and `dataset` are keys of `map`; dataset may have a default.
 * A map with the key `array` is an array in memory instead. */
enum lr_status open_dataset(const struct reader *r, const struct yaml_node *map, const char *dataset_key,
                            const char *dataset_default, struct hdf5_array **array);
/* All values, or those of one component of the first axis. */
enum lr_status read_dataset(const struct reader *r, const struct yaml_node *node, const struct hdf5_array *array,
                            int64_t component, double *values);
/* Fails at keys of a map that are none of {file, dataset}, or of {array}. */
enum lr_status check_dataset_keys(const struct reader *r, const struct yaml_node *map);
/* Convert to CGS by the dataset's `units` attribute. */
enum lr_status convert_dataset(const struct reader *r, const struct yaml_node *node, const struct hdf5_array *array,
                               enum dimension dimension, double *values, int64_t n);

/* The path of a file that is named relative to the model; free() it. */
enum lr_status find_file(const struct reader *r, const struct yaml_node *node, char **path);
/* Where a relative path that this node holds starts, "" or with a trailing slash: what the model file names lies beside
 * it, what `--set` names in the current folder. */
const char *file_folder(const struct reader *r, const struct yaml_node *node);

/* Put file, line and key of the node in front of a message that does not name them. */
enum lr_status place_error(const struct reader *r, const struct yaml_node *node, enum lr_status status);

/* ---- Sections. ---- */
enum lr_status read_mesh(const struct reader *r, const struct yaml_node *node, struct mesh *mesh);
/* One word for everything, or keys x, y, z for both faces of an axis, or x-, x+ ... for one. */
enum lr_status read_faces(const struct reader *r, const struct yaml_node *node, struct mesh *mesh);
/* Its keys `refine` and `brick` (model_refine.c): cells[] of level 0 become a refined mesh. */
enum lr_status read_refined(const struct reader *r, const struct yaml_node *map, const int cells[3],
                            const double lower[3], const double size[3], struct mesh *mesh);
/* Its key `bricks` (model_bricks.c): the same, brick by brick. */
enum lr_status read_bricks(const struct reader *r, const struct yaml_node *map, const int cells[3],
                           const double lower[3], const double size[3], struct mesh *mesh);
enum lr_status read_line(const struct reader *r, const struct yaml_node *node, struct line *line);
/* A line of a molecule (model_molecule.c), and how its populations are found (model_populations.c). The latter needs
 * the mesh, and comes before the medium. */
enum lr_status read_molecule(const struct reader *r, const struct yaml_node *map, struct line *line);
/* The molecule of `line.rotor` (model_rotor.c); release with molecule_free(). */
struct molecule;
enum lr_status read_rotor(const struct reader *r, const struct yaml_node *map, struct molecule *molecule);
enum lr_status read_populations(const struct reader *r, const struct yaml_node *node);
enum lr_status read_medium(const struct reader *r, const struct yaml_node *node, struct medium *medium);
/* What the medium says of a molecule (model_species.c): first the keys that do not go together with the kind of line,
 * and the temperature of the levels; after b, the densities and from them alpha0 (and eps of a two-level atom). */
enum lr_status refuse_species_keys(const struct reader *r, const struct yaml_node *map);
enum lr_status read_species_temperature(const struct reader *r, const struct yaml_node *map);
/* Densities of what the molecule collides with, and which rates go with them (model_colliders.c); the second needs the
 * temperature. */
/* `destruction` of the medium (model_destruction.c), after its colliders; a NULL node leaves *eps alone. */
enum lr_status read_destruction(const struct reader *r, const struct yaml_node *node, struct field *eps);
bool destruction_needs_hydrogen(const struct yaml_node *medium);
enum lr_status read_colliders(const struct reader *r, const struct yaml_node *map);
enum lr_status plan_collisions(const struct reader *r, const struct yaml_node *map);
/* Where medium.abundance is a recipe (model_abundance.c): densities of the molecule, from those of H2 and from the
 * temperature. */
bool is_abundance_recipe(const struct yaml_node *node);
enum lr_status read_abundance_recipe(const struct reader *r, const struct yaml_node *node, struct field *density);
/* The temperature of the gas (model_temperature.c): a field, a recipe, or the snapshot's; *found is false when nothing
 * says it. */
enum lr_status read_temperature(const struct reader *r, const struct yaml_node *map, struct field *temperature,
                                bool *found);
/* Whether it will follow from a pressure, and so from the mass of the gas. */
bool temperature_needs_mass(const struct reader *r, const struct yaml_node *map);
enum lr_status read_species(const struct reader *r, const struct yaml_node *map, struct medium *medium);
/* The medium as a whole: refuse or warn of what cannot be meant (model_plausible.c). */
enum lr_status check_plausible(const struct reader *r, const struct yaml_node *map, const struct medium *medium);
/* `node` is NULL when the section is absent: a molecule then shines by itself. */
enum lr_status read_sources(const struct reader *r, const struct yaml_node *node);
/* The source kind `thermal` (model_thermal.c). */
enum lr_status read_thermal(const struct reader *r, const struct yaml_node *map, struct source *source);
/* The source kind `gas` (model_gas.c); `map` may be NULL. Errors point at `place`. */
enum lr_status read_gas(const struct reader *r, const struct yaml_node *map, const struct yaml_node *place,
                        struct source *source);
/* After the images: a source for dust that shines, and whether images fit a two-level atom. */
enum lr_status read_dust_light(const struct reader *r);
/* A place inside the mesh; on shells their centre. */
enum lr_status read_source_position(const struct reader *r, const struct yaml_node *map, struct source *source);
enum lr_status read_star(const struct reader *r, const struct yaml_node *map, struct source *source);
/* What goes with populations that a run has to find. `list` is the section. */
enum lr_status check_pumping(const struct reader *r, const struct yaml_node *list);
/* Stars are flat over the channels. */
void spread_stars(lr_model *model);
enum lr_status check_two_level_images(const struct reader *r);
enum lr_status read_spectrum(const struct reader *r, const struct yaml_node *node, bool in_volume,
                             struct spectrum *spectrum);
enum lr_status read_physics(const struct reader *r, const struct yaml_node *node, struct physics *physics);
enum lr_status read_reference_b(const struct reader *r, const struct yaml_node *output);
enum lr_status read_output(const struct reader *r, const struct yaml_node *node, struct output *output);
enum lr_status read_run(const struct reader *r, const struct yaml_node *node, struct run *run);

/* ---- Images. These need mesh, line, medium, reference_b and run of the model, and nothing else of it. ---- */
enum lr_status read_channels(const struct reader *r, const struct yaml_node *node, struct channels *channels);
/* Into model->camera. */
enum lr_status read_cameras(const struct reader *r, const struct yaml_node *node);
/* After the cameras, whose pixels it has to fit. A NULL node gives the defaults. */
enum lr_status read_image(const struct reader *r, const struct yaml_node *node, struct image_options *image);
/* All three sections of the document, and whether they fit each other (model_imaging.c). */
enum lr_status read_imaging(const struct reader *r);

#endif
