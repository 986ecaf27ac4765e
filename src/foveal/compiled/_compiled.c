/* foveal.compiled._compiled: the part of reading that is worth a compiler.
 *
 * This file only makes the module. What it can do is in the files named in _compiled.h; what
 * every function takes and gives is in _compiled.pyi. The package works without this module, so
 * nothing may be decided here that the Python code does not decide as well.
 */
#include "_compiled.h"

static PyMethodDef functions[] = {
    /* _lines_calls.c: lines of white-space separated fields */
    {"count_lines", foveal_count_lines_call, METH_VARARGS, NULL},
    {"scan", foveal_scan_call, METH_VARARGS, NULL},
    /* _keys_calls.c: keys of names */
    {"make_table", foveal_make_table_call, METH_VARARGS, NULL},
    {"find", foveal_find_call, METH_VARARGS, NULL},
    {"repeats", foveal_repeats_call, METH_VARARGS, NULL},
    {"same", foveal_same_call, METH_VARARGS, NULL},
    {"hash_names", foveal_hash_names_call, METH_VARARGS, NULL},
    /* _dicts_calls.c: dictionaries of topics and documents */
    {"scan_dicts", foveal_scan_dicts_call, METH_VARARGS, NULL},
    /* _elements_calls.c: elements of XML documents */
    {"knows_expat", foveal_knows_expat_call, METH_O, NULL},
    {"scan_elements", foveal_scan_elements_call, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#ifdef Py_mod_gil
    /* Nothing here is shared between calls. */
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_compiled",
    .m_doc = "Lines and elements read at the speed of memory.",
    .m_size = 0,
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__compiled(void)
{
    return PyModuleDef_Init(&module);
}
