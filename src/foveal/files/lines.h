/* Lines of white-space separated fields, without Python. */
#ifndef FOVEAL_LINES_H
#define FOVEAL_LINES_H

#include <stddef.h>
#include <stdint.h>

size_t foveal_lines_counted(const uint8_t *begin, const uint8_t *end);

#endif
