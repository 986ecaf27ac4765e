/* Arrays that Python passes, taken by the buffer protocol and checked. */
#ifndef FOVEAL_ARRAYS_H
#define FOVEAL_ARRAYS_H

#include "_compiled.h"

#include <stdint.h>

typedef enum { BYTES, FLAGS, UINT32S, UINT64S, INT64S, DOUBLES } array_kind;
typedef enum { READ, WRITE } array_use;

#define MOST_ARRAYS 24

/* The arrays of one call, which are released together. Begins as {0}. */
typedef struct {
    Py_buffer views[MOST_ARRAYS];
    int count;
} arrays;

typedef struct {
    void *items;
    size_t length;
} array;

/* The items of an array; 0 and an exception if it is not of that kind, contiguous,
 * aligned, and writable where it is to be written. */
int take_array(arrays *taken, PyObject *object, array_kind kind, array_use use, array *found);

/* The items of arrays of equal length in a tuple, to be written. With `some`, those that are None
 * become NULL; the length is SIZE_MAX if all are. A tuple that is None is so as a whole. */
int take_columns(arrays *taken, PyObject *tuple, const array_kind *kinds, Py_ssize_t count,
                 int some, void **columns, size_t *length);

void release_arrays(arrays *taken);

#endif
