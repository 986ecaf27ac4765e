/* The functions that Python sees, by the file that holds them; _compiled.c lists them all. */
#ifndef FOVEAL_COMPILED_H
#define FOVEAL_COMPILED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* _lines_calls.c */
PyObject *foveal_count_lines(PyObject *module, PyObject *args);

/* _elements_calls.c */
PyObject *foveal_knows_expat(PyObject *module, PyObject *capsule);
PyObject *foveal_scan_elements(PyObject *module, PyObject *args);

#endif
