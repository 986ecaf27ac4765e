/* Feed the scanner mutated files: `make fuzz`.
 *
 * Built with the address and undefined-behaviour sanitizers. Every input lies in a buffer of just
 * its size, and so does every array that is filled, so that one byte too far ends the program. What
 * was read is checked as well: names lie in the block, and numbers are those of strtod.
 *
 *     fuzz_scanner [INPUTS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "lines.h"
#include "text.h"

#define LONGEST_INPUT 4096
#define MAX_MUTATIONS 12

static const struct {
    const char *letters;
    size_t min_fields;
    const char *good;
} FORMATS[] = {
    {"T-DRSG", 6,
     "1 Q0 a 1 2.5 mine\n2\tQ0\tb\t1\t-1e-5\tmine\r\n# x\n\n2 Q0 c 2 7 mine\n"},
    {"T-DS", 4, "1 0 a 1\n1 0 b -0.5\n1 0 c 123456789012345678901234567890e-20\n"},
    {"T-DRSGOL", 7,
     "1 Q0 a 1 2.5 m 10 5\n1 Q0 b 2 2.5 m X 0\n1 Q0 c 3 0.12345678901234567 m 133\n"},
    {"T-DNNEP", 5,
     "1 Q0 a 7 100 3 3:5 9:2\n1 Q0 b 0 70\n1 Q0 c 0 70 -1\n2 Q0 \xc3\xa9 5 9 -1 10000000000:0"},
    {"TDSE", 3,
     "topic-of-a-long-name a-document-of-a-long-name 1e-30 -1\n1 a 1.7976931348623157e308"},
};

static const char *const PIECES[] = {
    " ", "\t", "\r", "\n", "\r\n", "#", "# ", "X", "-1", ":", "0:0", ".", "e", "-", "+", "inf", "0x",
    "1_0", "1e400", "1e-400", "9007199254740993", "18446744073709551616", "9223372036854775808",
    "9999999999", "10000000001", "1 Q0 d 1 1 t\n", "\xef\xbb\xbf", "\xc3", "\xa9", "\xe0\x80\x80",
    "\xed\xa0", "\xf4\x90\x80", "\xff\xff\xff\xff\xff\xff\xff\xff", "                        ",
    "00000000000000000000000000000",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct {
    size_t inputs, bytes, lines, rows, problems, slow, refused;
} total;

static uint64_t state;

static uint64_t random_number(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545F4914F6CDD1D);
}

static size_t below(size_t limit)
{
    return limit ? (size_t)(random_number() >> 11) % limit : 0;
}

static void demand(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "input %zu: %s\n", total.inputs, what);
        abort();
    }
}

static void *reserved(size_t count, size_t size)
{
    void *memory = malloc(count * size);
    demand(memory != NULL, "no memory");
    return memory;
}

/* Inputs ------------------------------------------------------------------------------------- */

static size_t inserted(char *text, size_t size, const char *piece, size_t length)
{
    size_t at = below(size + 1);
    if (size + length > LONGEST_INPUT)
        return size;
    memmove(text + at + length, text + at, size - at);
    memcpy(text + at, piece, length);
    return size + length;
}

/* A line of judgements with a number of random digits, or one half way between two doubles. */
static int judgement(char *line, size_t size)
{
    unsigned long long digits = random_number() >> below(64);
    if (below(2))
        return snprintf(line, size, "1 0 d %llu.%llue%d\n", digits, digits / 7,
                        (int)below(60) - 40);
    digits = (random_number() >> 11 | UINT64_C(1) << 52) * 2 + 1;
    int halvings = (int)below(4), power = 0;
    for (; power < halvings; power++)
        digits *= 5;
    return snprintf(line, size, "1 0 d %llue-%d\n", digits, power);
}

static size_t mutated(char *text, size_t size)
{
    size_t at = below(size), length = below(size - at + 1);
    char copy[LONGEST_INPUT], line[100];
    const char *piece = PIECES[below(COUNT(PIECES))];
    switch (below(8)) {
    case 0:
        if (size)
            text[at] = (char)random_number();
        return size;
    case 1:
        if (size)
            text[at] ^= (char)(1 << below(8));
        return size;
    case 2:
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    case 3:
        memcpy(copy, text + at, length);
        return inserted(text, size, copy, length);
    case 4:
        return below(4) ? size : at;
    case 5:
        length = (size_t)judgement(line, sizeof line);
        return inserted(text, size, line, length);
    default:
        return inserted(text, size, piece, strlen(piece));
    }
}

static size_t new_input(char *text, const char *good)
{
    size_t size = strlen(good);
    memcpy(text, good, size);
    for (size_t left = below(MAX_MUTATIONS + 1); left; left--)
        size = mutated(text, size);
    return size;
}

/* Arrays ------------------------------------------------------------------------------------- */

typedef struct {
    foveal_rows rows;
    foveal_stretches stretches;
    foveal_skips skips;
    foveal_passages passages;
} output;

/* Mostly enough, now and then too little. */
static size_t capacity(size_t enough)
{
    return below(8) ? enough : below(enough + 1);
}

static output new_output(size_t lines, size_t size)
{
    output out;
    size_t n = out.rows.capacity = capacity(lines);
    out.rows.offset = reserved(n, sizeof(uint32_t));
    out.rows.length = reserved(n, sizeof(uint32_t));
    out.rows.key = reserved(n, sizeof(uint64_t));
    out.rows.score = reserved(n, sizeof(double));
    out.rows.rank = reserved(n, sizeof(int64_t));
    for (int i = 0; i < FOVEAL_MAX_INTEGERS; i++)
        out.rows.integers[i] = reserved(n, sizeof(int64_t));
    n = out.stretches.capacity = capacity(lines);
    out.stretches.row = reserved(n, sizeof(int64_t));
    out.stretches.offset = reserved(n, sizeof(uint32_t));
    out.stretches.length = reserved(n, sizeof(uint32_t));
    out.stretches.hash = reserved(n, sizeof(uint64_t));
    n = out.skips.capacity = capacity(lines / 2 + 1);
    out.skips.row = reserved(n, sizeof(int64_t));
    out.skips.skipped = reserved(n, sizeof(int64_t));
    n = out.passages.capacity = capacity(size / 4 + 1);
    out.passages.row = reserved(n, sizeof(int64_t));
    out.passages.start = reserved(n, sizeof(int64_t));
    out.passages.end = reserved(n, sizeof(int64_t));
    return out;
}

static void free_output(output *out)
{
    void *arrays[] = {
        out->rows.offset,     out->rows.length,       out->rows.key,       out->rows.score,
        out->rows.rank,       out->rows.integers[0],  out->rows.integers[1],
        out->rows.integers[2], out->rows.integers[3], out->stretches.row,  out->stretches.offset,
        out->stretches.length, out->stretches.hash,   out->skips.row,      out->skips.skipped,
        out->passages.row,    out->passages.start,    out->passages.end,
    };
    for (size_t i = 0; i < COUNT(arrays); i++)
        free(arrays[i]);
}

/* What was read ------------------------------------------------------------------------------ */

static void check_name(const uint8_t *block, size_t size, uint32_t offset, uint32_t length)
{
    demand(length > 0 && offset <= size && length <= size - offset, "a name outside the block");
    for (uint32_t i = 0; i < length; i++)
        demand(!is_gap(block[offset + i]) && block[offset + i] != '\n', "a separator in a name");
    demand(offset == 0 || is_gap(block[offset - 1]) || block[offset - 1] == '\n', "a name cut off");
}

/* The field after some others of a line that a row's document is on. */
static double number_after(const uint8_t *block, size_t size, size_t offset, int fields)
{
    const uint8_t *p = block + offset, *end = block + size;
    char text[FOVEAL_LONGEST_NUMBER + 1];
    for (; fields; fields--) {
        while (!is_gap(*p))
            p++;
        p = gap_end(p, end);
    }
    size_t length = 0;
    while (p < end && !is_gap(*p) && *p != '\n' && length < FOVEAL_LONGEST_NUMBER)
        text[length++] = (char)*p++;
    text[length] = '\0';
    return strtod(text, NULL);
}

static void check_scores(const uint8_t *block, size_t size, const output *out,
                         const foveal_summary *summary, int fields)
{
    size_t slow = 0;
    for (size_t row = 0; row < summary->rows; row++) {
        if (slow < summary->slow && summary->slow_numbers[slow].row == row) {
            slow++;
            continue;
        }
        double expected = number_after(block, size, out->rows.offset[row], fields);
        demand(!memcmp(&expected, &out->rows.score[row], sizeof expected), "not the number");
    }
    demand(slow == summary->slow, "slow numbers out of order");
}

static void check_summary(const uint8_t *block, size_t size, const output *out,
                          const foveal_summary *summary)
{
    demand(summary->lines == foveal_count_lines(block, block + size), "lines miscounted");
    demand(summary->rows + summary->problems <= summary->lines, "more rows than lines");
    for (size_t i = 0; i < summary->rows; i++)
        check_name(block, size, out->rows.offset[i], out->rows.length[i]);
    for (size_t i = 0; i < summary->stretches; i++) {
        check_name(block, size, out->stretches.offset[i], out->stretches.length[i]);
        demand(!i || out->stretches.row[i] > out->stretches.row[i - 1], "stretches out of order");
    }
    for (size_t i = 0; i < summary->passages; i++) {
        int64_t start = out->passages.start[i], end = out->passages.end[i];
        demand(0 <= start && start <= end && end <= FOVEAL_LARGEST_OFFSET, "an odd passage");
        demand((size_t)out->passages.row[i] < summary->rows, "a passage of no row");
    }
    for (size_t i = 0; i < summary->slow; i++) {
        foveal_slow_number slow = summary->slow_numbers[i];
        check_name(block, size, slow.offset, slow.length);
        demand(slow.length <= FOVEAL_LONGEST_NUMBER && slow.row < summary->rows, "a slow number");
    }
    if (summary->tags)
        check_name(block, size, summary->last_tag.offset, summary->last_tag.length);
}

static void fuzz_lines(const uint8_t *block, size_t size, size_t format)
{
    size_t lines = foveal_count_lines(block, block + size);
    foveal_layout layout;
    const char *letters = FORMATS[format].letters;
    size_t min_fields = FORMATS[format].min_fields;
    demand(foveal_layout_of(letters, strlen(letters), min_fields, &layout), "no layout");
    output out = new_output(lines, size);
    foveal_summary summary;
    foveal_outcome outcome = foveal_scan(block, size, &layout, random_number(), &out.rows,
                                         &out.stretches, &out.skips, &out.passages, &summary);
    if (outcome == FOVEAL_DONE) {
        check_summary(block, size, &out, &summary);
        const char *document = strchr(letters, 'D'), *score = strchr(letters, 'S');
        if (score)
            check_scores(block, size, &out, &summary, (int)(score - document));
        total.lines += summary.lines;
        total.rows += summary.rows;
        total.problems += summary.problems;
        total.slow += summary.slow;
    } else {
        total.refused++;
    }
    free(summary.slow_numbers);
    free_output(&out);
}

static void fuzz_layout(void)
{
    static const char letters[] = "TDSRGNOLE-P*x";
    char text[24];
    size_t length = below(COUNT(text));
    for (size_t i = 0; i < length; i++)
        text[i] = below(30) ? letters[below(strlen(letters))] : (char)random_number();
    foveal_layout layout;
    char *exact = reserved(length, 1);
    memcpy(exact, text, length);
    foveal_layout_of(exact, length, below(20), &layout);
    free(exact);
}

/* Keys of names at any places, right and wrong, in a block. */
static void fuzz_keys(const uint8_t *block, size_t size)
{
    size_t count = below(40), slots = 1, found_count;
    while (slots <= count || !below(3))
        slots *= 2;
    uint64_t *offset = reserved(count, sizeof *offset), *keys = reserved(count, sizeof *keys);
    uint32_t *length = reserved(count, sizeof *length);
    size_t limit = below(3) ? count : below(count + 1);
    int64_t *offsets = reserved(count + 1, sizeof *offsets);
    int64_t *index = reserved(limit, sizeof *index), *row = reserved(limit, sizeof *row);
    uint8_t *same = reserved(count, 1);
    foveal_table table = {reserved(slots, sizeof(uint64_t)), reserved(slots, sizeof(int64_t)),
                          slots};
    int is_wrong = !below(4);
    for (size_t i = 0; i < count; i++) {
        offset[i] = is_wrong && !below(9) ? random_number() : below(size + 1);
        length[i] = (uint32_t)(is_wrong && !below(9) ? random_number()
                               : offset[i] > size    ? 1
                                                     : below(size - offset[i] + 1));
        offsets[i] = (int64_t)(is_wrong && !below(9) ? random_number() : i / 4 * 4);
        keys[i] = below(8) ? random_number() : below(3);
    }
    offsets[count] = (int64_t)count;
    foveal_names names = {block, size, offset, length};
    if (foveal_hash_names(names, keys, count, keys) == FOVEAL_KEYS_DONE && count)
        demand(foveal_same(names, names, count, same) == FOVEAL_KEYS_DONE && same[0],
               "unlike itself");
    foveal_repeats(keys, count, offsets, below(count + 1), index, row, limit, &found_count);
    foveal_make_table(keys, count, table);
    foveal_find(keys, count, table, index, row, limit, &found_count);
    void *arrays[] = {offset, keys, length, offsets, index, row, same, table.keys, table.rows};
    for (size_t i = 0; i < COUNT(arrays); i++)
        free(arrays[i]);
}

int main(int count, char **words)
{
    size_t inputs = count > 1 ? strtoul(words[1], NULL, 10) : 1000000;
    state = count > 2 ? strtoul(words[2], NULL, 10) * 2 + 1 : 2009;
    static char text[LONGEST_INPUT];
    for (; total.inputs < inputs; total.inputs++) {
        size_t format = below(COUNT(FORMATS));
        size_t size = new_input(text, FORMATS[format].good);
        uint8_t *block = reserved(size, 1);
        memcpy(block, text, size);
        /* Now and then a file is taken for one of another format. */
        fuzz_lines(block, size, below(8) ? format : below(COUNT(FORMATS)));
        if (total.inputs % 4 == 0) {
            fuzz_layout();
            fuzz_keys(block, size);
        }
        total.bytes += size;
        free(block);
    }
    printf("%zu inputs, %zu bytes: %zu lines, %zu rows, %zu problems, %zu slow numbers,"
           " %zu times too little room; nothing was read or written outside\n",
           total.inputs, total.bytes, total.lines, total.rows, total.problems, total.slow,
           total.refused);
    return 0;
}
