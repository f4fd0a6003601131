/* Host memory of a run: a chain of blocks that are freed together. */
#ifndef LR_BACKEND_BLOCK_CHAIN_H
#define LR_BACKEND_BLOCK_CHAIN_H

#include <stdlib.h>
#include <string.h>

struct block {
    struct block *next;
    _Alignas(64) char data[];
};

static inline void *chain_copy(void *owner, size_t bytes, const void *data)
{
    struct block **chain = owner;
    const size_t total = (sizeof(struct block) + bytes + 63) / 64 * 64;
    struct block *block = aligned_alloc(64, total);
    if (!block)
        return NULL;
    block->next = *chain;
    *chain = block;
    if (data)
        memcpy(block->data, data, bytes);
    else
        memset(block->data, 0, bytes);
    return block->data;
}

static inline void chain_free(struct block *chain)
{
    while (chain) {
        struct block *next = chain->next;
        free(chain);
        chain = next;
    }
}

#endif
