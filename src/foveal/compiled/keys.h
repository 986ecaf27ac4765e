/* Keys of names, 64 bits each: tables of them, repeats among them, and the names behind them. */
#ifndef FOVEAL_KEYS_H
#define FOVEAL_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* Names in a buffer, by offset and length. */
typedef struct {
    const uint8_t *data;
    size_t size;
    const uint64_t *offset;
    const uint32_t *length;
} foveal_names;

/* An open-addressing table; its size is a power of two, and a key of 0 is an empty slot. */
typedef struct {
    uint64_t *keys;
    int64_t *rows;
    size_t size;
} foveal_table;

typedef enum {
    FOVEAL_KEYS_DONE,
    FOVEAL_KEYS_FULL,
    FOVEAL_KEYS_EQUAL,
    FOVEAL_KEYS_ZERO,
    FOVEAL_KEYS_OUTSIDE,
    FOVEAL_KEYS_NO_MEMORY,
} foveal_keys_outcome;

/* Fill the table with the row of each key. The table has more slots than there are keys. */
foveal_keys_outcome foveal_make_table(const uint64_t *keys, size_t count, foveal_table table);

/* Indices of the keys that the table has, and their rows in it. */
foveal_keys_outcome foveal_find(const uint64_t *keys, size_t count, foveal_table table,
                                int64_t *index, int64_t *row, size_t capacity, size_t *found_count);

/* Indices of keys that occur earlier in their segment, and of their first occurrence there. The
 * offsets are the starts of the segments and the end of the last one. */
foveal_keys_outcome foveal_repeats(const uint64_t *keys, size_t count, const int64_t *offsets,
                                   size_t segments, int64_t *index, int64_t *first, size_t capacity,
                                   size_t *found_count);

/* Whether names are equal, pair by pair; each must lie inside its buffer. */
foveal_keys_outcome foveal_same(foveal_names a, foveal_names b, size_t count, uint8_t *same);

/* Hash of each name, beginning with its `start`: a seed, or the hash of the topic. */
foveal_keys_outcome foveal_hash_names(foveal_names names, const uint64_t *start, size_t count,
                                      uint64_t *hash);

#endif
