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

static int take_table(buffer_list *buffers, PyObject *keys, PyObject *rows, array_use use,
                      foveal_table *table)
{
    array key, row;
    if (!take_array(buffers, keys, UINT64S, use, &key) ||
        !take_array(buffers, rows, INT64S, use, &row))
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
    buffer_list buffers = {0};
    array keys;
    foveal_table table;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    int is_valid = take_array(&buffers, key_array, UINT64S, READ, &keys) &&
                   take_table(&buffers, table_keys, table_rows, WRITE, &table) &&
                   (keys.length < table.size || refuse("a table must be larger than its keys"));
    if (is_valid) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_make_table(keys.items, keys.length, table);
        Py_END_ALLOW_THREADS
    }
    release_buffers(&buffers);
    if (!is_valid || !refuse_outcome(outcome))
        return NULL;
    return PyBool_FromLong(outcome == FOVEAL_KEYS_DONE);
}

PyObject *foveal_find_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *key_array, *table_keys, *table_rows, *out_index, *out_row;
    if (!PyArg_ParseTuple(args, "OOOOO:find", &key_array, &table_keys, &table_rows, &out_index,
                          &out_row))
        return NULL;
    buffer_list buffers = {0};
    array keys, index, row;
    foveal_table table;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    size_t found_count = 0;
    int is_valid = take_array(&buffers, key_array, UINT64S, READ, &keys) &&
                   take_table(&buffers, table_keys, table_rows, READ, &table) &&
                   take_array(&buffers, out_index, INT64S, WRITE, &index) &&
                   take_array(&buffers, out_row, INT64S, WRITE, &row) &&
                   (index.length == row.length || refuse("the arrays must be equally long"));
    if (is_valid) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_find(keys.items, keys.length, table, index.items, row.items, index.length,
                              &found_count);
        Py_END_ALLOW_THREADS
    }
    release_buffers(&buffers);
    return is_valid && refuse_outcome(outcome) ? PyLong_FromSize_t(found_count) : NULL;
}

PyObject *foveal_repeats_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *key_array, *offset_array, *out_index, *out_first;
    if (!PyArg_ParseTuple(args, "OOOO:repeats", &key_array, &offset_array, &out_index, &out_first))
        return NULL;
    buffer_list buffers = {0};
    array keys, offsets, index, first;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    size_t found_count = 0;
    int is_valid = take_array(&buffers, key_array, UINT64S, READ, &keys) &&
                   take_array(&buffers, offset_array, INT64S, READ, &offsets) &&
                   take_array(&buffers, out_index, INT64S, WRITE, &index) &&
                   take_array(&buffers, out_first, INT64S, WRITE, &first) &&
                   (index.length == first.length || refuse("the arrays must be equally long")) &&
                   (offsets.length || refuse("there is one offset more than segments"));
    if (is_valid) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_repeats(keys.items, keys.length, offsets.items, offsets.length - 1,
                                 index.items, first.items, index.length, &found_count);
        Py_END_ALLOW_THREADS
    }
    release_buffers(&buffers);
    return is_valid && refuse_outcome(outcome) ? PyLong_FromSize_t(found_count) : NULL;
}

static int take_names(buffer_list *buffers, PyObject *data, PyObject *offsets, PyObject *lengths,
                      foveal_names *names, size_t *count)
{
    array bytes, offset, length;
    if (!take_array(buffers, data, BYTES, READ, &bytes) ||
        !take_array(buffers, offsets, UINT64S, READ, &offset) ||
        !take_array(buffers, lengths, UINT32S, READ, &length))
        return 0;
    if (offset.length != length.length)
        return refuse("the arrays must be equally long");
    names->data = bytes.items;
    names->size = bytes.length;
    names->offset = offset.items;
    names->length = length.items;
    *count = offset.length;
    return 1;
}

PyObject *foveal_same_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data_a, *offset_a, *length_a, *data_b, *offset_b, *length_b, *out;
    if (!PyArg_ParseTuple(args, "OOOOOOO:same", &data_a, &offset_a, &length_a, &data_b, &offset_b,
                          &length_b, &out))
        return NULL;
    buffer_list buffers = {0};
    array same;
    foveal_names a, b;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    size_t count, count_b;
    int is_valid = take_names(&buffers, data_a, offset_a, length_a, &a, &count) &&
                   take_names(&buffers, data_b, offset_b, length_b, &b, &count_b) &&
                   take_array(&buffers, out, FLAGS, WRITE, &same) &&
                   ((count == count_b && count == same.length) ||
                    refuse("the arrays must be equally long"));
    if (is_valid) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_same(a, b, count, same.items);
        Py_END_ALLOW_THREADS
    }
    release_buffers(&buffers);
    return is_valid && refuse_outcome(outcome) ? Py_NewRef(Py_None) : NULL;
}

PyObject *foveal_hash_names_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *offsets, *lengths, *starts, *out;
    if (!PyArg_ParseTuple(args, "OOOOO:hash_names", &data, &offsets, &lengths, &starts, &out))
        return NULL;
    buffer_list buffers = {0};
    array start, hash;
    foveal_names names;
    foveal_keys_outcome outcome = FOVEAL_KEYS_DONE;
    size_t count;
    int is_valid = take_names(&buffers, data, offsets, lengths, &names, &count) &&
                   take_array(&buffers, starts, UINT64S, READ, &start) &&
                   take_array(&buffers, out, UINT64S, WRITE, &hash) &&
                   ((count == start.length && count == hash.length) ||
                    refuse("the arrays must be equally long"));
    if (is_valid) {
        Py_BEGIN_ALLOW_THREADS
        outcome = foveal_hash_names(names, start.items, count, hash.items);
        Py_END_ALLOW_THREADS
    }
    release_buffers(&buffers);
    return is_valid && refuse_outcome(outcome) ? Py_NewRef(Py_None) : NULL;
}
