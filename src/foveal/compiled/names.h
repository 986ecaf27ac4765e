/* Names as bytes: read in words, compared, hashed. Nothing is read outside a name. */
#ifndef FOVEAL_NAMES_H
#define FOVEAL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define FOVEAL_WORD 8

/* Eight bytes, the first one lowest on every machine; compilers make one load of it. */
static inline uint64_t word_at(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

static inline uint64_t half_word_at(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
}

/* Fewer than eight bytes, filled up with zeros. Pieces that overlap hold the same bytes. */
static inline uint64_t short_word_at(const uint8_t *p, size_t length)
{
    if (length >= 4)
        return half_word_at(p) | half_word_at(p + length - 4) << 8 * (length - 4);
    if (length == 0)
        return 0;
    size_t middle = length / 2, last = length - 1;
    return (uint64_t)p[0] | (uint64_t)p[middle] << 8 * middle | (uint64_t)p[last] << 8 * last;
}

static inline int same_bytes(const uint8_t *a, const uint8_t *b, size_t length)
{
    for (; length >= FOVEAL_WORD; length -= FOVEAL_WORD, a += FOVEAL_WORD, b += FOVEAL_WORD)
        if (word_at(a) != word_at(b))
            return 0;
    return short_word_at(a, length) == short_word_at(b, length);
}

/* Both halves of a product of 128 bits, one over the other: every bit depends on every bit. */
static inline uint64_t folded_product(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, cross = a_high * b_low + (low >> 32);
    uint64_t middle = a_low * b_high + (uint32_t)cross;
    return (a * b) ^ (a_high * b_high + (cross >> 32) + (middle >> 32));
#endif
}

/* Numbers without a pattern, the first digits of pi, so that zeros in a name are not lost. */
#define FOVEAL_SALT_OF_WORDS UINT64_C(0x243F6A8885A308D3)
#define FOVEAL_SALT_OF_LENGTHS UINT64_C(0x13198A2E03707344)

/* The hash of a name that continues another hash or begins from a seed; never 0.
 *
 * Whoever names documents must not be able to make hashes equal, or a file could be written on
 * which reading takes for ever: with a secret seed that takes as many trials as the hash has
 * values. Equal hashes are a hint all the same, and names are compared before anything is claimed.
 */
static inline uint64_t hash_of(const uint8_t *name, size_t length, uint64_t hash)
{
    size_t left = length;
    for (; left >= FOVEAL_WORD; left -= FOVEAL_WORD, name += FOVEAL_WORD)
        hash = folded_product(hash ^ word_at(name), FOVEAL_SALT_OF_WORDS);
    hash = folded_product(hash ^ short_word_at(name, left), FOVEAL_SALT_OF_WORDS);
    hash = folded_product(hash ^ length, FOVEAL_SALT_OF_LENGTHS);
    return hash ? hash : 1;
}

#endif
