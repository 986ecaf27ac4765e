/* What Python calls of lines.c: arguments are checked here, and the global lock is released. */
#include "_compiled.h"
#include "_arrays.h"
#include "lines.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of columns of rows before the integer columns. */
#define OTHER_COLUMNS 5

typedef struct {
    foveal_layout layout;
    foveal_rows rows;
    foveal_stretches stretches;
    foveal_skips skips;
    foveal_passages passages;
} scan_arguments;

static int take_block(buffer_list *buffers, PyObject *data, Py_ssize_t start, Py_ssize_t end,
                      array *block)
{
    array all_bytes;
    if (!take_array(buffers, data, BYTES, READ, &all_bytes))
        return 0;
    if (start < 0 || start > end || (size_t)end > all_bytes.length) {
        PyErr_SetString(PyExc_ValueError, "begin and end must lie in the data");
        return 0;
    }
    block->items = (uint8_t *)all_bytes.items + start;
    block->length = (size_t)(end - start);
    return 1;
}

PyObject *foveal_count_lines_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data;
    Py_ssize_t start, end;
    buffer_list buffers = {0};
    array block;
    size_t lines = 0;
    if (!PyArg_ParseTuple(args, "Onn:count_lines", &data, &start, &end))
        return NULL;
    int is_valid = take_block(&buffers, data, start, end, &block);
    if (is_valid) {
        Py_BEGIN_ALLOW_THREADS
        lines = foveal_count_lines(block.items, (uint8_t *)block.items + block.length);
        Py_END_ALLOW_THREADS
    }
    release_buffers(&buffers);
    return is_valid ? PyLong_FromSize_t(lines) : NULL;
}

static int take_rows(buffer_list *buffers, PyObject *tuple, foveal_rows *rows)
{
    static const array_kind kinds[] = {UINT32S, UINT32S, UINT64S, DOUBLES, INT64S,
                                       INT64S,  INT64S,  INT64S,  INT64S};
    void *columns[OTHER_COLUMNS + FOVEAL_MAX_INTEGERS];
    Py_ssize_t count = OTHER_COLUMNS + FOVEAL_MAX_INTEGERS;
    if (!take_columns(buffers, tuple, kinds, count, 1, columns, &rows->capacity))
        return 0;
    rows->offset = columns[0];
    rows->length = columns[1];
    rows->key = columns[2];
    rows->score = columns[3];
    rows->rank = columns[4];
    for (int i = 0; i < FOVEAL_MAX_INTEGERS; i++)
        rows->integers[i] = columns[OTHER_COLUMNS + i];
    return 1;
}

static int take_stretches(buffer_list *buffers, PyObject *tuple, foveal_stretches *stretches)
{
    static const array_kind kinds[] = {INT64S, UINT32S, UINT32S, UINT64S};
    void *columns[4];
    if (!take_columns(buffers, tuple, kinds, 4, 0, columns, &stretches->capacity))
        return 0;
    stretches->row = columns[0];
    stretches->offset = columns[1];
    stretches->length = columns[2];
    stretches->hash = columns[3];
    return 1;
}

static int take_skips(buffer_list *buffers, PyObject *tuple, foveal_skips *skips)
{
    static const array_kind kinds[] = {INT64S, INT64S};
    void *columns[2];
    if (!take_columns(buffers, tuple, kinds, 2, 0, columns, &skips->capacity))
        return 0;
    skips->row = columns[0];
    skips->skipped = columns[1];
    return 1;
}

static int take_passages(buffer_list *buffers, PyObject *tuple, foveal_passages *passages)
{
    static const array_kind kinds[] = {INT64S, INT64S, INT64S};
    void *columns[3];
    if (!take_columns(buffers, tuple, kinds, 3, 0, columns, &passages->capacity))
        return 0;
    passages->row = columns[0];
    passages->start = columns[1];
    passages->end = columns[2];
    return 1;
}

static int take_layout(const char *text, Py_ssize_t length, Py_ssize_t min_fields,
                       foveal_layout *layout)
{
    if (min_fields >= 0 && foveal_layout_of(text, (size_t)length, (size_t)min_fields, layout))
        return 1;
    PyErr_Format(PyExc_ValueError, "not a layout: '%s' with at least %zd fields", text, min_fields);
    return 0;
}

/* Read the numbers that the scanner could not, as float() does; infinite ones are problems. */
static int read_slow_numbers(const uint8_t *block, const foveal_rows *rows, foveal_summary *summary)
{
    char text[FOVEAL_LONGEST_NUMBER + 1];
    for (size_t i = 0; i < summary->slow; i++) {
        foveal_slow_number number = summary->slow_numbers[i];
        memcpy(text, block + number.offset, number.length);
        text[number.length] = '\0';
        double value = PyOS_string_to_double(text, NULL, NULL);
        if (value == -1.0 && PyErr_Occurred())
            return 0;
        summary->problems += !isfinite(value);
        if (rows->score)
            rows->score[number.row] = value;
    }
    return 1;
}

static int refuse_outcome(foveal_outcome outcome)
{
    static const char *const too_small[] = {
        [FOVEAL_ROWS_FULL] = "rows",
        [FOVEAL_STRETCHES_FULL] = "stretches",
        [FOVEAL_SKIPS_FULL] = "skips",
        [FOVEAL_PASSAGES_FULL] = "passages",
    };
    if (outcome == FOVEAL_NO_MEMORY)
        PyErr_NoMemory();
    else if (outcome != FOVEAL_DONE)
        PyErr_Format(PyExc_ValueError, "the arrays of %s are too small", too_small[outcome]);
    return outcome == FOVEAL_DONE;
}

static PyObject *tuple_of(const foveal_summary *summary)
{
    return Py_BuildValue(
        "nnnnnnNNn(II)", (Py_ssize_t)summary->rows, (Py_ssize_t)summary->lines,
        (Py_ssize_t)summary->problems, (Py_ssize_t)summary->stretches, (Py_ssize_t)summary->skips,
        (Py_ssize_t)summary->passages, PyBool_FromLong(summary->has_whole_ranks),
        PyBool_FromLong(summary->has_zero_byte), (Py_ssize_t)summary->tags,
        summary->last_tag.offset, summary->last_tag.length);
}

static PyObject *scanned(array block, uint64_t seed, const scan_arguments *arguments)
{
    if (block.length > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a block must be shorter than 4 GiB");
        return NULL;
    }
    foveal_summary summary;
    foveal_outcome outcome;
    Py_BEGIN_ALLOW_THREADS
    outcome = foveal_scan(block.items, block.length, &arguments->layout, seed, &arguments->rows,
                          &arguments->stretches, &arguments->skips, &arguments->passages, &summary);
    Py_END_ALLOW_THREADS
    int is_done = refuse_outcome(outcome) &&
                  read_slow_numbers(block.items, &arguments->rows, &summary);
    free(summary.slow_numbers);
    return is_done ? tuple_of(&summary) : NULL;
}

PyObject *foveal_scan_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *seed_object, *rows, *stretches, *skips, *passages, *result = NULL;
    Py_ssize_t start, end, layout_length, min_fields;
    const char *layout;
    if (!PyArg_ParseTuple(args, "Onny#nO!OOOO:scan", &data, &start, &end, &layout, &layout_length,
                          &min_fields, &PyLong_Type, &seed_object, &rows, &stretches, &skips,
                          &passages))
        return NULL;
    uint64_t seed = PyLong_AsUnsignedLongLong(seed_object);
    if (PyErr_Occurred())
        return NULL;
    buffer_list buffers = {0};
    array block;
    scan_arguments arguments;
    if (take_layout(layout, layout_length, min_fields, &arguments.layout) &&
        take_block(&buffers, data, start, end, &block) &&
        take_rows(&buffers, rows, &arguments.rows) &&
        take_stretches(&buffers, stretches, &arguments.stretches) &&
        take_skips(&buffers, skips, &arguments.skips) &&
        take_passages(&buffers, passages, &arguments.passages))
        result = scanned(block, seed, &arguments);
    release_buffers(&buffers);
    return result;
}
