#include "text.h"

#include "names.h"

/* Length of the character at p, in UTF-8 as strict as Python's; 0 if it is invalid. */
static size_t character_length(const uint8_t *p, const uint8_t *end)
{
    if (*p < 0x80)
        return 1;
    size_t length = *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : 4;
    if (*p < 0xC2 || *p > 0xF4 || (size_t)(end - p) < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    int is_overlong = (*p == 0xE0 && p[1] < 0xA0) || (*p == 0xF0 && p[1] < 0x90);
    int is_surrogate = *p == 0xED && p[1] >= 0xA0;
    int is_beyond = *p == 0xF4 && p[1] >= 0x90;
    return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

int foveal_is_utf8(const uint8_t *p, const uint8_t *end)
{
    size_t length;
    for (; p < end; p += length) {
        length = character_length(p, end);
        if (!length)
            return 0;
    }
    return 1;
}

size_t foveal_count_lines(const uint8_t *start, const uint8_t *end)
{
    size_t lines = start < end && end[-1] != '\n';
    const uint8_t *p = start;
    while (end - p >= FOVEAL_WORD) {
        /* Every byte of `newlines` counts those at its position in the words, up to 255. */
        uint64_t newlines = 0;
        for (int i = 0; i < 255 && end - p >= FOVEAL_WORD; i++, p += FOVEAL_WORD) {
            uint64_t differences = word_at(p) ^ ('\n' * FOVEAL_EVERY_BYTE);
            uint64_t low = (differences & ~FOVEAL_HIGH_BITS) + ~FOVEAL_HIGH_BITS;
            newlines += ~(low | differences) >> 7 & FOVEAL_EVERY_BYTE;
        }
        for (; newlines; newlines >>= 8)
            lines += newlines & 0xFF;
    }
    for (; p < end; p++)
        lines += *p == '\n';
    return lines;
}
