/* foveal.files._compiled: the part of reading that is worth a compiler.
 *
 * This file only makes the module. What it can do is in the files named in _compiled.h; what
 * every function takes and gives is in _compiled.pyi. The package works without this module, so
 * nothing may be decided here that the Python code does not decide as well.
 */
#include "_compiled.h"

static PyMethodDef functions[] = {
    /* _lines_calls.c: lines of white-space separated fields */
    {"count_lines", foveal_count_lines, METH_VARARGS, "count_lines(data, begin, end) -> int"},
    /* _elements_calls.c: elements of XML documents */
    {"knows_expat", foveal_knows_expat, METH_O, "knows_expat(capsule) -> bool"},
    {"scan_elements", foveal_scan_elements, METH_VARARGS,
     "scan_elements(expat, data, begin, id_rule, counts_bytes, merges_blanks, deepest, portion)"
     " -> (rows, names, length, end, id) or None"},
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
