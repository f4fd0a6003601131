/* Regions: {box|sphere|shell|slab: {...}} with one more key, which says what the region is for. */
#ifndef LR_IO_MODEL_MODEL_REGION_H
#define LR_IO_MODEL_MODEL_REGION_H

#include "io/model/model_reader.h"
#include "model/region.h"

/* The body of one entry, whose keys are shapes and one other: SCHEMA_REGION for a field, SCHEMA_REFINE for a mesh. */
enum lr_status read_region(const struct reader *r, const struct yaml_node *entry, const struct schema *schema,
                           struct region *region);

#endif
