/* What Python calls of keys.c: arguments are checked here, and the global lock is released. */
#include "_compiled.h"
#include "_arrays.h"
#include "keys.h"

static int refuse(const char *reason)
{
    PyErr_SetString(PyExc_ValueError, reason);
    return 0;
}

static int refuse_outcome(foveal_keys_outcome outcome)
{
    switch (outcome) {
    case FOVEAL_KEYS_FULL:
        return refuse("the arrays of what was found are too small");
    case FOVEAL_KEYS_ZERO:
        return refuse("no key may be 0");
    case FOVEAL_KEYS_OUTSIDE:
        return refuse("a place or an offset is outside");
    case FOVEAL_KEYS_NO_MEMORY:
        PyErr_NoMemory();
        return 0;
    default:
        return 1;
    }
}

static int take_table(arrays *taken, PyObject *keys, PyObject *rows, array_use use,
                      foveal_table *table)
{
    array key, row;
    if (!take_array(taken, keys, UINT64S, use, &key) || !take_array(taken, rows, INT64S, use, &row))
        return 0;
    if (!key.length || key.length & (key.length - 1) || key.length != row.length)
        return refuse("the size of a table must be a power of two");
    table->keys = key.items;
    table->rows = row.items;
    table->size = key.length;
    return 1;
}

PyObject *foveal_make_table_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *key_array, *table_keys, *table_rows;
    if (!PyArg_ParseTuple(args, "OOO:make_table", &key_array, &table_keys, &table_rows))
        return NULL;
    arrays taken = {0};
    array keys;
    foveal_table table;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    int is_taken = take_array(&taken, key_array, UINT64S, READ, &keys) &&
                   take_table(&taken, table_keys, table_rows, WRITE, &table) &&
                   (keys.length < table.size || refuse("a table must be larger than its keys"));
    if (is_taken) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_make_table(keys.items, keys.length, table);
        Py_END_ALLOW_THREADS
    }
    release_arrays(&taken);
    if (!is_taken || !refuse_outcome(outcome))
        return NULL;
    return PyBool_FromLong(outcome == FOVEAL_KEYS_DONE);
}

PyObject *foveal_find_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *key_array, *table_keys, *table_rows, *out_at, *out_row;
    if (!PyArg_ParseTuple(args, "OOOOO:find", &key_array, &table_keys, &table_rows, &out_at,
                          &out_row))
        return NULL;
    arrays taken = {0};
    array keys, at, row;
    foveal_table table;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    size_t found = 0;
    int is_taken = take_array(&taken, key_array, UINT64S, READ, &keys) &&
                   take_table(&taken, table_keys, table_rows, READ, &table) &&
                   take_array(&taken, out_at, INT64S, WRITE, &at) &&
                   take_array(&taken, out_row, INT64S, WRITE, &row) &&
                   (at.length == row.length || refuse("the arrays must be equally long"));
    if (is_taken) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_find(keys.items, keys.length, table, at.items, row.items, at.length,
                              &found);
        Py_END_ALLOW_THREADS
    }
    release_arrays(&taken);
    return is_taken && refuse_outcome(outcome) ? PyLong_FromSize_t(found) : NULL;
}

PyObject *foveal_repeats_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *key_array, *offset_array, *out_at, *out_first;
    if (!PyArg_ParseTuple(args, "OOOO:repeats", &key_array, &offset_array, &out_at, &out_first))
        return NULL;
    arrays taken = {0};
    array keys, offsets, at, first;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    size_t found = 0;
    int is_taken = take_array(&taken, key_array, UINT64S, READ, &keys) &&
                   take_array(&taken, offset_array, INT64S, READ, &offsets) &&
                   take_array(&taken, out_at, INT64S, WRITE, &at) &&
                   take_array(&taken, out_first, INT64S, WRITE, &first) &&
                   (at.length == first.length || refuse("the arrays must be equally long")) &&
                   (offsets.length || refuse("there is one offset more than segments"));
    if (is_taken) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_repeats(keys.items, keys.length, offsets.items, offsets.length - 1,
                                 at.items, first.items, at.length, &found);
        Py_END_ALLOW_THREADS
    }
    release_arrays(&taken);
    return is_taken && refuse_outcome(outcome) ? PyLong_FromSize_t(found) : NULL;
}

static int take_names(arrays *taken, PyObject *data, PyObject *places, PyObject *lengths,
                      foveal_names *names, size_t *count)
{
    array bytes, place, length;
    if (!take_array(taken, data, BYTES, READ, &bytes) ||
        !take_array(taken, places, UINT64S, READ, &place) ||
        !take_array(taken, lengths, UINT32S, READ, &length))
        return 0;
    if (place.length != length.length)
        return refuse("the arrays must be equally long");
    names->data = bytes.items;
    names->size = bytes.length;
    names->place = place.items;
    names->length = length.items;
    *count = place.length;
    return 1;
}

PyObject *foveal_same_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data_a, *place_a, *length_a, *data_b, *place_b, *length_b, *out;
    if (!PyArg_ParseTuple(args, "OOOOOOO:same", &data_a, &place_a, &length_a, &data_b, &place_b,
                          &length_b, &out))
        return NULL;
    arrays taken = {0};
    array same;
    foveal_names a, b;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    size_t count, count_b;
    int is_taken = take_names(&taken, data_a, place_a, length_a, &a, &count) &&
                   take_names(&taken, data_b, place_b, length_b, &b, &count_b) &&
                   take_array(&taken, out, FLAGS, WRITE, &same) &&
                   ((count == count_b && count == same.length) ||
                    refuse("the arrays must be equally long"));
    if (is_taken) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_same(a, b, count, same.items);
        Py_END_ALLOW_THREADS
    }
    release_arrays(&taken);
    return is_taken && refuse_outcome(outcome) ? Py_NewRef(Py_None) : NULL;
}

PyObject *foveal_hash_names_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *places, *lengths, *starts, *out;
    if (!PyArg_ParseTuple(args, "OOOOO:hash_names", &data, &places, &lengths, &starts, &out))
        return NULL;
    arrays taken = {0};
    array start, hash;
    foveal_names names;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    size_t count;
    int is_taken = take_names(&taken, data, places, lengths, &names, &count) &&
                   take_array(&taken, starts, UINT64S, READ, &start) &&
                   take_array(&taken, out, UINT64S, WRITE, &hash) &&
                   ((count == start.length && count == hash.length) ||
                    refuse("the arrays must be equally long"));
    if (is_taken) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_hash_names(names, start.items, count, hash.items);
        Py_END_ALLOW_THREADS
    }
    release_arrays(&taken);
    return is_taken && refuse_outcome(outcome) ? Py_NewRef(Py_None) : NULL;
}
