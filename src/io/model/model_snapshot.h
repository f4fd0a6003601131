/* What a simulation file provides in place of `mesh` and of keys of `medium`. */
#ifndef LR_IO_MODEL_MODEL_SNAPSHOT_H
#define LR_IO_MODEL_MODEL_SNAPSHOT_H

#include "io/model/model_reader.h"
#include "io/snapshot/field_rule.h"

/* Section `snapshot`: opens the file and makes the mesh. */
enum lr_status read_snapshot(struct reader *r, const struct yaml_node *node, struct mesh *mesh);
/* A field of the snapshot by its index. */
enum lr_status read_snapshot_field(const struct reader *r, int index, const struct field_rule *rule,
                                   struct field *field);
/* medium.KEY, or else the field NAME of the snapshot; *found is false if there is neither. */
enum lr_status read_medium_field(const struct reader *r, const struct yaml_node *map, const char *key, const char *name,
                                 const struct field_rule *rule, struct field *field, bool *found);
/* Fails, naming what was needed (such as "n_CO or abundance_CO") and what the snapshot has. */
enum lr_status fail_missing(const struct reader *r, const struct yaml_node *map, const char *needed,
                            const char *advice);
/* Once the velocity has been read: warn of unused fields that look like one. */
void warn_of_unread_velocity(const struct reader *r);
/* Which fields were taken from the snapshot, for the report. */
enum lr_status describe_snapshot(const struct reader *r);

#endif
