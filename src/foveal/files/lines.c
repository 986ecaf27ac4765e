#include "lines.h"

#include <string.h>

size_t foveal_lines_counted(const uint8_t *begin, const uint8_t *end)
{
    size_t lines = 0;
    while (begin < end) {
        const uint8_t *newline = memchr(begin, '\n', (size_t)(end - begin));
        lines++;
        if (newline == NULL)
            break;
        begin = newline + 1;
    }
    return lines;
}
