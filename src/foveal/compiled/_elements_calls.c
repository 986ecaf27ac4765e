/* What Python calls of elements.c: arguments are checked here, and the global lock is released. */
#include "_compiled.h"
#include "elements.h"

#include <string.h>

/* The functions of Python's own expat; NULL, without an error, if the capsule is another one. */
static const foveal_expat *expat_of(PyObject *capsule)
{
    const foveal_expat *expat = PyCapsule_GetPointer(capsule, FOVEAL_EXPAT_NAME);
    if (!expat) {
        PyErr_Clear();
        return NULL;
    }
    /* Later versions of the structure are longer and begin in the same way. */
    if (strcmp(expat->magic, FOVEAL_EXPAT_MAGIC) || expat->size < (int)sizeof *expat)
        return NULL;
    return expat;
}

PyObject *foveal_knows_expat_call(PyObject *module, PyObject *capsule)
{
    (void)module;
    return PyBool_FromLong(expat_of(capsule) != NULL);
}

static PyObject *described(const foveal_elements *elements, Py_ssize_t start)
{
    return Py_BuildValue("y#y#kny#", (const char *)elements->rows,
                         (Py_ssize_t)(elements->row_count * sizeof *elements->rows),
                         elements->names, (Py_ssize_t)elements->names_size,
                         (unsigned long)elements->length, start + (Py_ssize_t)elements->end,
                         elements->id, (Py_ssize_t)elements->id_size);
}

static PyObject *scanned(const foveal_expat *expat, const Py_buffer *data, Py_ssize_t start,
                         const foveal_options *options)
{
    foveal_elements elements;
    int is_read;
    Py_BEGIN_ALLOW_THREADS
    is_read = foveal_read_elements(expat, (const char *)data->buf + start,
                                   (size_t)(data->len - start), options, &elements);
    Py_END_ALLOW_THREADS
    if (!is_read)
        Py_RETURN_NONE;
    PyObject *result = described(&elements, start);
    foveal_elements_free(&elements);
    return result;
}

PyObject *foveal_scan_elements_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule, *result = NULL;
    Py_buffer data;
    Py_ssize_t start, portion;
    unsigned int max_depth;
    foveal_options options = {0};
    if (!PyArg_ParseTuple(args, "Oy*nyppIn", &capsule, &data, &start, &options.id_rule,
                          &options.counts_bytes, &options.merges_blanks, &max_depth, &portion))
        return NULL;
    const foveal_expat *expat = expat_of(capsule);
    if (!expat || start < 0 || start > data.len || portion < 1) {
        PyErr_SetString(PyExc_ValueError, "expected " FOVEAL_EXPAT_MAGIC ", an offset in the"
                                          " data and a portion of at least one byte");
    } else {
        options.is_one_of_many = *options.id_rule != '\0';
        options.max_depth = max_depth;
        options.portion = (size_t)portion;
        result = scanned(expat, &data, start, &options);
    }
    PyBuffer_Release(&data);
    return result;
}
