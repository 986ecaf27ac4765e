#include "_arrays.h"

#include <string.h>

/* The size of an item, and the letters by which exporters name its type. */
static const struct {
    size_t size;
    const char *letters, *name;
} KINDS[] = {
    [BYTES] = {1, "bBc", "bytes"},       [FLAGS] = {1, "?", "bool"},
    [UINT32S] = {4, "IL", "uint32"},     [UINT64S] = {8, "QL", "uint64"},
    [INT64S] = {8, "ql", "int64"},       [DOUBLES] = {8, "d", "float64"},
};

static int is_of_kind(const Py_buffer *view, array_kind kind)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=')
        format++;
    int is_known = format[0] && !format[1] && strchr(KINDS[kind].letters, format[0]);
    return is_known && (size_t)view->itemsize == KINDS[kind].size &&
           (uintptr_t)view->buf % KINDS[kind].size == 0;
}

int take_array(buffer_list *buffers, PyObject *object, array_kind kind, array_use use,
               array *result)
{
    if (buffers->count == MAX_ARRAYS) {
        PyErr_SetString(PyExc_ValueError, "too many arrays");
        return 0;
    }
    Py_buffer *view = &buffers->views[buffers->count];
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (use == WRITE ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, view, flags) < 0)
        return 0;
    buffers->count++;
    if (!is_of_kind(view, kind)) {
        PyErr_Format(PyExc_ValueError, "expected an aligned array of %s, got %s of %zd bytes",
                     KINDS[kind].name, view->format ? view->format : "B", view->itemsize);
        return 0;
    }
    result->items = view->buf;
    result->length = (size_t)view->len / KINDS[kind].size;
    return 1;
}

int take_columns(buffer_list *buffers, PyObject *tuple, const array_kind *kinds, Py_ssize_t count,
                 int optional, void **columns, size_t *length)
{
    *length = SIZE_MAX;
    memset(columns, 0, (size_t)count * sizeof *columns);
    if (tuple == Py_None)
        return 1;
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != count) {
        PyErr_Format(PyExc_ValueError, "expected a tuple of %zd arrays", count);
        return 0;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *object = PyTuple_GetItem(tuple, i);
        array column;
        if (optional && object == Py_None)
            continue;
        if (!take_array(buffers, object, kinds[i], WRITE, &column))
            return 0;
        if (*length != SIZE_MAX && column.length != *length) {
            PyErr_SetString(PyExc_ValueError, "columns of a table must be equally long");
            return 0;
        }
        columns[i] = column.items;
        *length = column.length;
    }
    return 1;
}

void release_buffers(buffer_list *buffers)
{
    while (buffers->count)
        PyBuffer_Release(&buffers->views[--buffers->count]);
}
