/* Bytes as text: what separates fields and lines, and UTF-8. */
#ifndef FOVEAL_TEXT_H
#define FOVEAL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Words (names.h) of eight equal bytes. */
#define FOVEAL_EVERY_BYTE UINT64_C(0x0101010101010101)
#define FOVEAL_HIGH_BITS (0x80 * FOVEAL_EVERY_BYTE)

static inline int is_gap(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static inline int lowest_byte(uint64_t marks)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(marks) / 8;
#else
    int byte = 0;
    for (; !(marks & 0xFF); marks >>= 8)
        byte++;
    return byte;
#endif
}

static inline const uint8_t *gap_end(const uint8_t *p, const uint8_t *end)
{
    while (p < end && is_gap(*p))
        p++;
    return p;
}

static inline const uint8_t *line_end(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *newline = memchr(p, '\n', (size_t)(end - p));
    return newline ? newline : end;
}

/* Whether the bytes are UTF-8, as strict as Python is. */
int foveal_is_utf8(const uint8_t *p, const uint8_t *end);

/* Number of lines; the last one may lack its newline. */
size_t foveal_count_lines(const uint8_t *start, const uint8_t *end);

#endif
