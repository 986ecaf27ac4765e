/* What Python calls of lines.c: arguments are checked here, and the global lock is released. */
#include "_compiled.h"
#include "lines.h"

PyObject *foveal_count_lines(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data;
    Py_ssize_t begin, end;
    if (!PyArg_ParseTuple(args, "y*nn", &data, &begin, &end))
        return NULL;
    if (begin < 0 || begin > end || end > data.len) {
        PyBuffer_Release(&data);
        PyErr_SetString(PyExc_ValueError, "begin and end must lie in the data");
        return NULL;
    }
    size_t lines;
    Py_BEGIN_ALLOW_THREADS
    lines = foveal_lines_counted((uint8_t *)data.buf + begin, (uint8_t *)data.buf + end);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&data);
    return PyLong_FromSize_t(lines);
}
