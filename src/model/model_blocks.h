/* A model as a structure and the blocks of memory that it owns, so that it can be laid out in one piece of memory that
 * several processes see. There its pointers are those of the process that wrote it. */
#ifndef LR_MODEL_MODEL_BLOCKS_H
#define LR_MODEL_MODEL_BLOCKS_H

#include "model/model.h"

/* Bytes that a model takes in one piece; 0 if none of its arrays is large enough to be worth sharing. */
int64_t model_blocks_size(lr_model *model);
/* Writes it to such a piece. */
void model_blocks_write(lr_model *model, void *memory);
/* A model whose large arrays are those in the memory, and all else a copy. */
enum lr_status model_blocks_read(lr_context *ctx, void *memory, lr_model **model);
/* Forgets the arrays in the memory, before the rest is freed. */
void model_blocks_forget(lr_model *model);

#endif
