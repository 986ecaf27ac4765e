/* {topic: {document: number}} as columns: names in one buffer, their keys, and the numbers.
 *
 * Nothing here runs Python code while a dictionary is walked, so that none can change it: whatever
 * is not of the plainest types is left to the code in Python, which also has the words for what is
 * wrong with it.
 */
#include "_compiled.h"
#include "names.h"

#include <math.h>
#include <string.h>

#ifdef Py_GIL_DISABLED
#define BEGIN_WALK(dict) Py_BEGIN_CRITICAL_SECTION(dict)
#define END_WALK Py_END_CRITICAL_SECTION()
#else
#define BEGIN_WALK(dict) {
#define END_WALK }
#endif

/* The columns while they are filled; `names` has room for more bytes than are used. */
typedef struct {
    PyObject *topics, *counts, *lengths, *keys, *numbers;
    char *names;
    size_t row, rows, used, room;
} columns;

/* The UTF-8 of plain text that is not empty; NULL, without an exception, for all else. */
static const char *text_of(PyObject *object, Py_ssize_t *length)
{
    const char *text = PyUnicode_CheckExact(object) ? PyUnicode_AsUTF8AndSize(object, length) : NULL;
    if (!text)
        PyErr_Clear();
    return text && *length > 0 && *length < (Py_ssize_t)UINT32_MAX ? text : NULL;
}

/* A float of any kind or a plain whole number, if it is finite. */
static int number_of(PyObject *object, double *number)
{
    if (!PyFloat_Check(object) && !PyLong_CheckExact(object))
        return 0;
    *number = PyFloat_Check(object) ? PyFloat_AsDouble(object) : PyLong_AsDouble(object);
    if (*number == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return isfinite(*number);
}

/* Append a name to the buffer of names, which grows by half of its size at least. */
static int append_name(columns *to, const char *text, size_t length)
{
    if (to->room - to->used < length) {
        size_t room = to->room + to->room / 2 + length;
        char *names = PyMem_Realloc(to->names, room);
        if (!names) {
            PyErr_NoMemory();
            return 0;
        }
        to->names = names;
        to->room = room;
    }
    memcpy(to->names + to->used, text, length);
    to->used += length;
    return 1;
}

/* The rows of one topic; 0 if they are not plain or, with an exception, if memory is short. */
static int walk_topic(columns *to, PyObject *documents, uint64_t topic_hash)
{
    uint32_t *length = (uint32_t *)PyBytes_AsString(to->lengths);
    uint64_t *key = (uint64_t *)PyBytes_AsString(to->keys);
    double *number = (double *)PyBytes_AsString(to->numbers);
    PyObject *document, *value;
    Py_ssize_t position = 0, size;
    int is_plain = 1;
    BEGIN_WALK(documents)
    while (is_plain && PyDict_Next(documents, &position, &document, &value)) {
        const char *text = text_of(document, &size);
        is_plain = text && to->row < to->rows && number_of(value, &number[to->row]) &&
                   append_name(to, text, (size_t)size);
        if (is_plain) {
            length[to->row] = (uint32_t)size;
            key[to->row++] = hash_of((const uint8_t *)text, (size_t)size, topic_hash);
        }
    }
    END_WALK
    return is_plain;
}

/* Room for all rows of the topics in (topic, documents) pairs; 0 as above. */
static int make_columns(columns *to, PyObject *items)
{
    Py_ssize_t topics = PyList_Size(items), rows = 0;
    for (Py_ssize_t i = 0; i < topics; i++) {
        PyObject *documents = PyTuple_GetItem(PyList_GetItem(items, i), 1);
        if (!PyDict_CheckExact(documents))
            return 0;
        rows += PyDict_Size(documents);
    }
    to->rows = (size_t)rows;
    to->topics = PyList_New(0);
    to->counts = PyBytes_FromStringAndSize(NULL, topics * (Py_ssize_t)sizeof(int64_t));
    to->lengths = PyBytes_FromStringAndSize(NULL, rows * (Py_ssize_t)sizeof(uint32_t));
    to->keys = PyBytes_FromStringAndSize(NULL, rows * (Py_ssize_t)sizeof(uint64_t));
    to->numbers = PyBytes_FromStringAndSize(NULL, rows * (Py_ssize_t)sizeof(double));
    return to->topics && to->counts && to->lengths && to->keys && to->numbers;
}

/* Fill the columns with all topics that have documents; 0 as above. */
static int walk_topics(columns *to, PyObject *items, uint64_t seed)
{
    int64_t *count = (int64_t *)PyBytes_AsString(to->counts);
    for (Py_ssize_t i = 0; i < PyList_Size(items); i++) {
        PyObject *pair = PyList_GetItem(items, i), *topic = PyTuple_GetItem(pair, 0);
        size_t first = to->row;
        Py_ssize_t length;
        const char *text = text_of(topic, &length);
        uint64_t hash = text ? hash_of((const uint8_t *)text, (size_t)length, seed) : 0;
        if (!text || !walk_topic(to, PyTuple_GetItem(pair, 1), hash))
            return 0;
        if (to->row == first)
            continue;
        *count++ = (int64_t)(to->row - first);
        if (PyList_Append(to->topics, topic) < 0)
            return 0;
    }
    return to->row == to->rows && to->row > 0;
}

/* What Python gets: topics, their counts, and names, lengths, keys and numbers of their rows. */
static PyObject *result_of(const columns *from)
{
    PyObject *names = PyBytes_FromStringAndSize(from->names, (Py_ssize_t)from->used);
    if (!names)
        return NULL;
    PyObject *result = PyTuple_Pack(6, from->topics, from->counts, names, from->lengths, from->keys,
                                    from->numbers);
    Py_DECREF(names);
    return result;
}

PyObject *foveal_scan_dicts_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *dicts, *items, *result = NULL;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "O!K:scan_dicts", &PyDict_Type, &dicts, &seed))
        return NULL;
    if (!(items = PyDict_Items(dicts)))
        return NULL;
    columns to = {0};
    if (make_columns(&to, items) && walk_topics(&to, items, seed))
        result = result_of(&to);
    else if (!PyErr_Occurred())
        result = Py_NewRef(Py_None);
    Py_DECREF(items);
    Py_XDECREF(to.topics);
    Py_XDECREF(to.counts);
    Py_XDECREF(to.lengths);
    Py_XDECREF(to.keys);
    Py_XDECREF(to.numbers);
    PyMem_Free(to.names);
    return result;
}
