/* What Python calls of lines.c: arguments are checked here, and the global lock is released. */
#include "_compiled.h"
#include "_arrays.h"
#include "lines.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of rows before those of whole numbers. */
#define OTHER_COLUMNS 5

typedef struct {
    foveal_layout layout;
    foveal_rows rows;
    foveal_stretches stretches;
    foveal_skips skips;
    foveal_passages passages;
} scan_arguments;

static int take_block(arrays *taken, PyObject *data, Py_ssize_t begin, Py_ssize_t end, array *block)
{
    array whole;
    if (!take_array(taken, data, BYTES, READ, &whole))
        return 0;
    if (begin < 0 || begin > end || (size_t)end > whole.length) {
        PyErr_SetString(PyExc_ValueError, "begin and end must lie in the data");
        return 0;
    }
    block->items = (uint8_t *)whole.items + begin;
    block->length = (size_t)(end - begin);
    return 1;
}

PyObject *foveal_count_lines(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data;
    Py_ssize_t begin, end;
    arrays taken = {0};
    array block;
    size_t lines = 0;
    if (!PyArg_ParseTuple(args, "Onn:count_lines", &data, &begin, &end))
        return NULL;
    int is_taken = take_block(&taken, data, begin, end, &block);
    if (is_taken) {
        Py_BEGIN_ALLOW_THREADS
        lines = foveal_lines_counted(block.items, (uint8_t *)block.items + block.length);
        Py_END_ALLOW_THREADS
    }
    release_arrays(&taken);
    return is_taken ? PyLong_FromSize_t(lines) : NULL;
}

static int take_rows(arrays *taken, PyObject *tuple, foveal_rows *rows)
{
    static const array_kind kinds[] = {UINT32S, UINT32S, UINT64S, DOUBLES, INT64S,
                                       INT64S,  INT64S,  INT64S,  INT64S};
    void *columns[OTHER_COLUMNS + FOVEAL_MOST_INTEGERS];
    Py_ssize_t count = OTHER_COLUMNS + FOVEAL_MOST_INTEGERS;
    if (!take_columns(taken, tuple, kinds, count, 1, columns, &rows->capacity))
        return 0;
    rows->place = columns[0];
    rows->length = columns[1];
    rows->key = columns[2];
    rows->score = columns[3];
    rows->rank = columns[4];
    for (int i = 0; i < FOVEAL_MOST_INTEGERS; i++)
        rows->integers[i] = columns[OTHER_COLUMNS + i];
    return 1;
}

static int take_stretches(arrays *taken, PyObject *tuple, foveal_stretches *stretches)
{
    static const array_kind kinds[] = {INT64S, UINT32S, UINT32S, UINT64S};
    void *columns[4];
    if (!take_columns(taken, tuple, kinds, 4, 0, columns, &stretches->capacity))
        return 0;
    stretches->row = columns[0];
    stretches->place = columns[1];
    stretches->length = columns[2];
    stretches->hash = columns[3];
    return 1;
}

static int take_skips(arrays *taken, PyObject *tuple, foveal_skips *skips)
{
    static const array_kind kinds[] = {INT64S, INT64S};
    void *columns[2];
    if (!take_columns(taken, tuple, kinds, 2, 0, columns, &skips->capacity))
        return 0;
    skips->row = columns[0];
    skips->skipped = columns[1];
    return 1;
}

static int take_passages(arrays *taken, PyObject *tuple, foveal_passages *passages)
{
    static const array_kind kinds[] = {INT64S, INT64S, INT64S};
    void *columns[3];
    if (!take_columns(taken, tuple, kinds, 3, 0, columns, &passages->capacity))
        return 0;
    passages->row = columns[0];
    passages->start = columns[1];
    passages->end = columns[2];
    return 1;
}

static int take_layout(const char *text, Py_ssize_t length, Py_ssize_t least, foveal_layout *layout)
{
    if (least >= 0 && foveal_layout_of(text, (size_t)length, (size_t)least, layout))
        return 1;
    PyErr_Format(PyExc_ValueError, "not a layout: '%s' with at least %zd fields", text, least);
    return 0;
}

/* Read what the scanner could not, as float() does; what is not finite is a problem. */
static int read_slow_numbers(const uint8_t *block, const foveal_rows *rows, foveal_summary *summary)
{
    char text[FOVEAL_LONGEST_NUMBER + 1];
    for (size_t i = 0; i < summary->slow; i++) {
        foveal_slow_number number = summary->slow_numbers[i];
        memcpy(text, block + number.place, number.length);
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

static PyObject *tuple_of(const foveal_summary *found)
{
    return Py_BuildValue(
        "nnnnnnNNn(II)", (Py_ssize_t)found->rows, (Py_ssize_t)found->lines,
        (Py_ssize_t)found->problems, (Py_ssize_t)found->stretches, (Py_ssize_t)found->skips,
        (Py_ssize_t)found->passages, PyBool_FromLong(found->has_whole_ranks),
        PyBool_FromLong(found->has_zero_byte), (Py_ssize_t)found->tags, found->last_tag.place,
        found->last_tag.length);
}

static PyObject *scanned(array block, uint64_t seed, const scan_arguments *asked)
{
    if (block.length > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a block must be shorter than 4 GiB");
        return NULL;
    }
    foveal_summary summary;
    foveal_outcome outcome;
    Py_BEGIN_ALLOW_THREADS
    outcome = foveal_scan(block.items, block.length, &asked->layout, seed, &asked->rows,
                          &asked->stretches, &asked->skips, &asked->passages, &summary);
    Py_END_ALLOW_THREADS
    int is_done = refuse_outcome(outcome) && read_slow_numbers(block.items, &asked->rows, &summary);
    free(summary.slow_numbers);
    return is_done ? tuple_of(&summary) : NULL;
}

PyObject *foveal_scan_call(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *seed_object, *rows, *stretches, *skips, *passages, *result = NULL;
    Py_ssize_t begin, end, layout_length, least;
    const char *layout;
    if (!PyArg_ParseTuple(args, "Onny#nO!OOOO:scan", &data, &begin, &end, &layout, &layout_length,
                          &least, &PyLong_Type, &seed_object, &rows, &stretches, &skips, &passages))
        return NULL;
    uint64_t seed = PyLong_AsUnsignedLongLong(seed_object);
    if (PyErr_Occurred())
        return NULL;
    arrays taken = {0};
    array block;
    scan_arguments asked;
    if (take_layout(layout, layout_length, least, &asked.layout) &&
        take_block(&taken, data, begin, end, &block) && take_rows(&taken, rows, &asked.rows) &&
        take_stretches(&taken, stretches, &asked.stretches) &&
        take_skips(&taken, skips, &asked.skips) &&
        take_passages(&taken, passages, &asked.passages))
        result = scanned(block, seed, &asked);
    release_arrays(&taken);
    return result;
}
