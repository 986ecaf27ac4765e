/* Lines of white-space separated fields, read into columns; without Python. */
#ifndef FOVEAL_LINES_H
#define FOVEAL_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "layouts.h"

/* The largest offset in a document, as foveal.spans has it. */
#define FOVEAL_LARGEST_OFFSET INT64_C(10000000000)
/* In integer columns: a part that could not be mapped, and a field that a line lacks. */
#define FOVEAL_UNMAPPED (-1)
#define FOVEAL_ABSENT (-2)

/* Longer numbers are problems, so that slow ones fit a small buffer. */
#define FOVEAL_LONGEST_NUMBER 1000

/* Arrays to fill, except those that are NULL. Offsets count from the start of the block. */
typedef struct {
    size_t capacity;
    uint32_t *offset, *length;
    uint64_t *key;
    double *score;
    int64_t *rank, *integers[FOVEAL_MAX_INTEGERS];
} foveal_rows;

/* Rows of one topic that follow each other: the first of them, and the topic's name and hash. */
typedef struct {
    size_t capacity;
    int64_t *row;
    uint32_t *offset, *length;
    uint64_t *hash;
} foveal_stretches;

/* Rows before which lines were skipped, and how many lines were skipped up to there. */
typedef struct {
    size_t capacity;
    int64_t *row, *skipped;
} foveal_skips;

typedef struct {
    size_t capacity;
    int64_t *row, *start, *end;
} foveal_passages;

/* A number that Python must read; the score of its row is missing until then. */
typedef struct {
    size_t row;
    uint32_t offset, length;
} foveal_slow_number;

typedef struct {
    uint32_t offset, length;
} foveal_name;

typedef struct {
    size_t rows, lines, problems, stretches, skips, passages, tags;
    int has_whole_ranks, has_zero_byte;
    foveal_name last_tag;
    /* Made by foveal_scan, to be given to free(). */
    foveal_slow_number *slow_numbers;
    size_t slow;
} foveal_summary;

typedef enum {
    FOVEAL_DONE,
    FOVEAL_ROWS_FULL,
    FOVEAL_STRETCHES_FULL,
    FOVEAL_SKIPS_FULL,
    FOVEAL_PASSAGES_FULL,
    FOVEAL_NO_MEMORY,
} foveal_outcome;

/* Read the lines of a block of at most UINT32_MAX bytes. */
foveal_outcome foveal_scan(const uint8_t *block, size_t size, const foveal_layout *layout,
                           uint64_t seed, const foveal_rows *rows,
                           const foveal_stretches *stretches, const foveal_skips *skips,
                           const foveal_passages *passages, foveal_summary *summary);

#endif
