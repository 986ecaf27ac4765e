/* The functions that Python sees, by the file that holds them; _compiled.c lists them all. */
#ifndef FOVEAL_COMPILED_H
#define FOVEAL_COMPILED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* _lines_calls.c */
PyObject *foveal_count_lines_call(PyObject *module, PyObject *args);
PyObject *foveal_scan_call(PyObject *module, PyObject *args);

/* _keys_calls.c */
PyObject *foveal_make_table_call(PyObject *module, PyObject *args);
PyObject *foveal_find_call(PyObject *module, PyObject *args);
PyObject *foveal_repeats_call(PyObject *module, PyObject *args);
PyObject *foveal_same_call(PyObject *module, PyObject *args);
PyObject *foveal_hash_names_call(PyObject *module, PyObject *args);

/* _dicts_calls.c */
PyObject *foveal_scan_dicts_call(PyObject *module, PyObject *args);

/* _elements_calls.c */
PyObject *foveal_knows_expat_call(PyObject *module, PyObject *capsule);
PyObject *foveal_scan_elements_call(PyObject *module, PyObject *args);

#endif
