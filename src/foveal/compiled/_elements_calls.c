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

static PyObject *described(const foveal_elements *found, Py_ssize_t begin)
{
    return Py_BuildValue("y#y#kny#", (const char *)found->rows,
                         (Py_ssize_t)(found->row_count * sizeof *found->rows), found->names,
                         (Py_ssize_t)found->names_size, (unsigned long)found->length,
                         begin + (Py_ssize_t)found->end, found->id, (Py_ssize_t)found->id_size);
}

static PyObject *scanned(const foveal_expat *expat, const Py_buffer *data, Py_ssize_t begin,
                         const foveal_options *options)
{
    foveal_elements found;
    int is_found;
    Py_BEGIN_ALLOW_THREADS
    is_found = foveal_elements_found(expat, (const char *)data->buf + begin,
                                     (size_t)(data->len - begin), options, &found);
    Py_END_ALLOW_THREADS
    if (!is_found)
        Py_RETURN_NONE;
    PyObject *answer = described(&found, begin);
    foveal_elements_free(&found);
    return answer;
}

PyObject *foveal_scan_elements_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule, *answer = NULL;
    Py_buffer data;
    Py_ssize_t begin, portion;
    unsigned int deepest;
    foveal_options options = {0};
    if (!PyArg_ParseTuple(args, "Oy*nyppIn", &capsule, &data, &begin, &options.id_rule,
                          &options.counts_bytes, &options.merges_blanks, &deepest, &portion))
        return NULL;
    const foveal_expat *expat = expat_of(capsule);
    if (!expat || begin < 0 || begin > data.len || portion < 1) {
        PyErr_SetString(PyExc_ValueError, "expected " FOVEAL_EXPAT_MAGIC ", an offset in the"
                                          " data and a portion of at least one byte");
    } else {
        options.is_one_of_many = *options.id_rule != '\0';
        options.deepest = deepest;
        options.portion = (size_t)portion;
        answer = scanned(expat, &data, begin, &options);
    }
    PyBuffer_Release(&data);
    return answer;
}
