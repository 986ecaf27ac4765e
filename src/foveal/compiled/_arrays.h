/* Arrays that Python passes, taken by the buffer protocol and checked. */
#ifndef FOVEAL_ARRAYS_H
#define FOVEAL_ARRAYS_H

#include "_compiled.h"

#include <stdint.h>

typedef enum { BYTES, FLAGS, UINT32S, UINT64S, INT64S, DOUBLES } array_kind;
typedef enum { READ, WRITE } array_use;

#define MAX_ARRAYS 24

/* The buffers of one call, which are released together. Starts as {0}. */
typedef struct {
    Py_buffer views[MAX_ARRAYS];
    int count;
} buffer_list;

typedef struct {
    void *items;
    size_t length;
} array;

/* Set `result` to the items of an array; 0 and an exception if it is not of that kind, contiguous,
 * aligned, and writable if it is to be written. */
int take_array(buffer_list *buffers, PyObject *object, array_kind kind, array_use use,
               array *result);

/* Set `columns` to the items of arrays of equal length in a tuple, to be written. If `optional`, an
 * array that is None becomes NULL. The length is SIZE_MAX if all are, or the tuple is None. */
int take_columns(buffer_list *buffers, PyObject *tuple, const array_kind *kinds, Py_ssize_t count,
                 int optional, void **columns, size_t *length);

void release_buffers(buffer_list *buffers);

#endif
