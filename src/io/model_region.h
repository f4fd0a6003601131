/* Region lists of a field: {default: V, regions: [{sphere: {...}, value: V}, ...]}. */
#ifndef LR_IO_MODEL_REGION_H
#define LR_IO_MODEL_REGION_H

#include "io/model_reader.h"
#include "model/region.h"

/* The body of one entry {box|sphere|shell|slab: {...}, value: V}. */
enum lr_status read_region(const struct reader *r, const struct yaml_node *entry, struct region *region);

#endif
