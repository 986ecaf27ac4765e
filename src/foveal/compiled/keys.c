/* Keys are hashes (names.h): equal names have equal keys, and different names almost never do.
 *
 * Tables are probed slot after slot from one that depends on all bits of the key, so that keys
 * with a pattern do not crowd. Keys that were made to crowd need the seed from which names were
 * hashed, which callers keep secret.
 */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"

/* Slots are prefetched this many keys ahead: a table is larger than the processor's cache. */
#define LOOK_AHEAD 12

#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)0)
#endif

static inline size_t slot_of(uint64_t key, size_t size)
{
    return (size_t)folded_product(key ^ FOVEAL_SALT_OF_LENGTHS, FOVEAL_SALT_OF_WORDS) & (size - 1);
}

/* The slot that holds a key, or an empty one; in a table without empty slots, some slot. */
static inline size_t probed(uint64_t key, foveal_table table)
{
    size_t slot = slot_of(key, table.size);
    size_t probes = 1;
    for (; probes < table.size && table.keys[slot] && table.keys[slot] != key; probes++)
        slot = (slot + 1) & (table.size - 1);
    return slot;
}

foveal_keys_outcome foveal_make_table(const uint64_t *keys, size_t count, foveal_table table)
{
    memset(table.keys, 0, table.size * sizeof *table.keys);
    for (size_t i = 0; i < count; i++) {
        if (i + LOOK_AHEAD < count)
            PREFETCH(&table.keys[slot_of(keys[i + LOOK_AHEAD], table.size)]);
        if (!keys[i])
            return FOVEAL_KEYS_ZERO;
        size_t slot = probed(keys[i], table);
        if (table.keys[slot])
            return FOVEAL_KEYS_EQUAL;
        table.keys[slot] = keys[i];
        table.rows[slot] = (int64_t)i;
    }
    return FOVEAL_KEYS_DONE;
}

foveal_keys_outcome foveal_find(const uint64_t *keys, size_t count, foveal_table table,
                                int64_t *index, int64_t *row, size_t capacity, size_t *found_count)
{
    *found_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + LOOK_AHEAD < count)
            PREFETCH(&table.keys[slot_of(keys[i + LOOK_AHEAD], table.size)]);
        size_t slot = probed(keys[i], table);
        if (table.keys[slot] != keys[i] || !keys[i])
            continue;
        if (*found_count == capacity)
            return FOVEAL_KEYS_FULL;
        index[*found_count] = (int64_t)i;
        row[(*found_count)++] = table.rows[slot];
    }
    return FOVEAL_KEYS_DONE;
}

/* A slot is empty unless it was filled for the segment that is being read. */
typedef struct {
    uint64_t key;
    uint32_t stamp, row;
} stamped_slot;

/* The size of a table that any segment fills by half at most; 0 if the offsets make no sense. */
static size_t size_for_segments(const int64_t *offsets, size_t segments, size_t count)
{
    size_t largest = 0, size = 4;
    for (size_t i = 0; i < segments; i++) {
        int64_t start = offsets[i], end = offsets[i + 1];
        if (start < 0 || end < start || (uint64_t)end > count)
            return 0;
        if ((size_t)(end - start) > largest)
            largest = (size_t)(end - start);
    }
    while (size / 2 < largest)
        size *= 2;
    return size;
}

/* The row at which a key occurred first in its segment: this one, if it is new there. */
static inline uint32_t first_row(uint64_t key, uint32_t row, uint32_t stamp, stamped_slot *slots,
                                 size_t size)
{
    size_t slot = slot_of(key, size);
    while (slots[slot].stamp == stamp && slots[slot].key != key)
        slot = (slot + 1) & (size - 1);
    if (slots[slot].stamp != stamp) {
        slots[slot].key = key;
        slots[slot].stamp = stamp;
        slots[slot].row = row;
    }
    return slots[slot].row;
}

foveal_keys_outcome foveal_repeats(const uint64_t *keys, size_t count, const int64_t *offsets,
                                   size_t segments, int64_t *index, int64_t *first,
                                   size_t capacity, size_t *found_count)
{
    *found_count = 0;
    size_t size = size_for_segments(offsets, segments, count);
    if (!size || count >= UINT32_MAX || segments >= UINT32_MAX)
        return FOVEAL_KEYS_OUTSIDE;
    stamped_slot *slots = calloc(size, sizeof *slots);
    if (!slots)
        return FOVEAL_KEYS_NO_MEMORY;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    for (size_t segment = 0; segment < segments && outcome == FOVEAL_KEYS_DONE; segment++) {
        size_t start = (size_t)offsets[segment], end = (size_t)offsets[segment + 1];
        /* Checked again: another thread may have written into the array. */
        if (end > count || start > end || end - start > size / 2)
            outcome = FOVEAL_KEYS_OUTSIDE;
        for (size_t i = start; i < end && outcome == FOVEAL_KEYS_DONE; i++) {
            uint32_t row = first_row(keys[i], (uint32_t)i, (uint32_t)segment + 1, slots, size);
            if (row == i)
                continue;
            if (*found_count == capacity) {
                outcome = FOVEAL_KEYS_FULL;
            } else {
                index[*found_count] = (int64_t)i;
                first[(*found_count)++] = (int64_t)row;
            }
        }
    }
    free(slots);
    return outcome;
}

/* The bytes of a name, or NULL if it is not inside its buffer. */
static inline const uint8_t *bytes_of(const foveal_names *names, uint64_t offset, uint32_t length)
{
    if (offset > names->size || length > names->size - offset)
        return NULL;
    return names->data + offset;
}

foveal_keys_outcome foveal_same(foveal_names a, foveal_names b, size_t count, uint8_t *same)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t length_a = a.length[i], length_b = b.length[i];
        const uint8_t *name_a = bytes_of(&a, a.offset[i], length_a);
        const uint8_t *name_b = bytes_of(&b, b.offset[i], length_b);
        if (!name_a || !name_b)
            return FOVEAL_KEYS_OUTSIDE;
        same[i] = length_a == length_b && same_bytes(name_a, name_b, length_a);
    }
    return FOVEAL_KEYS_DONE;
}

foveal_keys_outcome foveal_hash_names(foveal_names names, const uint64_t *start, size_t count,
                                      uint64_t *hash)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t length = names.length[i];
        const uint8_t *name = bytes_of(&names, names.offset[i], length);
        if (!name)
            return FOVEAL_KEYS_OUTSIDE;
        hash[i] = hash_of(name, length, start[i]);
    }
    return FOVEAL_KEYS_DONE;
}
