/* Lines of white-space separated fields in one pass: every TREC and INEX text format.
 *
 * Fields are separated by runs of blanks, tabs and carriage returns. Blank lines, and lines whose
 * first field starts with #, are skipped. layouts.h says which fields a line has.
 *
 * A line without those fields is a problem, and so is one that is not UTF-8. A problem is only
 * counted: the plain reader (foveal.formats) reads the file again and says what is wrong. So a good
 * line may be called a problem, if it is rare; a bad one may never be called good. If there is a
 * problem, the arrays must not be used.
 *
 * The input is not trusted. Pointers stay between a line's start and the block's end, whatever the
 * bytes are, and no array is written without a check of its capacity.
 */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "numbers.h"
#include "text.h"

typedef struct {
    const uint8_t *block, *end;
    const foveal_layout *layout;
    uint64_t seed;
    const foveal_rows *rows;
    const foveal_stretches *stretches;
    const foveal_skips *skips;
    const foveal_passages *passages;
    foveal_summary *summary;
    size_t skipped, skips_recorded, slow_capacity;
    /* Topic of the previous line, and whether no row has it yet. */
    foveal_name topic;
    uint64_t topic_hash;
    int is_new_topic;
} scanner;

/* State of the line that is being read. */
typedef struct {
    /* All of its bytes, and some after it, OR-ed: only the high bits matter. */
    uint64_t bits;
    size_t fields, integers, passages, slow;
    int64_t first_integer, offset;
    int is_problem, has_entry;
    foveal_outcome outcome;
} line_state;

/* The first byte at or behind p that ends a field. */
static inline const uint8_t *field_end(scanner *s, line_state *line, const uint8_t *p)
{
    while (s->end - p >= FOVEAL_WORD) {
        uint64_t word = word_at(p);
        line->bits |= word;
        /* The lowest mark is at the first byte that is not above a blank; higher ones may err. */
        uint64_t marks = (word - ('!' * FOVEAL_EVERY_BYTE)) & ~word & FOVEAL_HIGH_BITS;
        if (!marks) {
            p += FOVEAL_WORD;
            continue;
        }
        p += lowest_byte(marks);
        if (is_gap(*p) || *p == '\n')
            return p;
        s->summary->has_zero_byte |= *p == 0;
        p++;
    }
    for (; p < s->end && !is_gap(*p) && *p != '\n'; p++) {
        line->bits |= (uint64_t)*p << 56;
        s->summary->has_zero_byte |= *p == 0;
    }
    return p;
}

/* Fields ------------------------------------------------------------------------------------- */

static inline foveal_name name_of(const scanner *s, const uint8_t *start, const uint8_t *end)
{
    foveal_name name = {(uint32_t)(start - s->block), (uint32_t)(end - start)};
    return name;
}

static inline int is_same_name(const scanner *s, foveal_name a, foveal_name b)
{
    return a.length == b.length && same_bytes(s->block + a.offset, s->block + b.offset, a.length);
}

static inline void take_topic(scanner *s, foveal_name topic)
{
    if (is_same_name(s, topic, s->topic))
        return;
    s->topic = topic;
    s->topic_hash = hash_of(s->block + topic.offset, topic.length, s->seed);
    s->is_new_topic = 1;
}

static inline void take_document(scanner *s, foveal_name document)
{
    size_t row = s->summary->rows;
    if (s->rows->offset)
        s->rows->offset[row] = document.offset;
    if (s->rows->length)
        s->rows->length[row] = document.length;
    if (s->rows->key)
        s->rows->key[row] = hash_of(s->block + document.offset, document.length, s->topic_hash);
}

static inline void take_tag(scanner *s, foveal_name tag)
{
    s->summary->tags++;
    s->summary->last_tag = tag;
}

static void remember_slow_number(scanner *s, line_state *line, foveal_name number)
{
    foveal_summary *summary = s->summary;
    if (summary->slow == s->slow_capacity) {
        size_t capacity = 2 * s->slow_capacity + 64;
        foveal_slow_number *grown = realloc(summary->slow_numbers, capacity * sizeof *grown);
        if (!grown) {
            line->outcome = FOVEAL_NO_MEMORY;
            return;
        }
        summary->slow_numbers = grown;
        s->slow_capacity = capacity;
    }
    foveal_slow_number slow = {summary->rows, number.offset, number.length};
    summary->slow_numbers[summary->slow++] = slow;
    line->slow++;
}

static inline void take_score(scanner *s, line_state *line, const uint8_t *p, const uint8_t *end)
{
    double value = 0;
    enum number outcome = read_number(p, end, &value);
    if (outcome == NO_NUMBER || end - p > FOVEAL_LONGEST_NUMBER)
        line->is_problem = 1;
    else if (outcome == SLOW_NUMBER)
        remember_slow_number(s, line, name_of(s, p, end));
    if (s->rows->score)
        s->rows->score[s->summary->rows] = value;
}

static inline void take_rank(scanner *s, const uint8_t *p, const uint8_t *end)
{
    int64_t rank = 0;
    if (!read_integer(p, end, &rank))
        s->summary->has_whole_ranks = 0;
    if (s->rows->rank)
        s->rows->rank[s->summary->rows] = rank;
}

static inline void put_integer(scanner *s, line_state *line, int64_t value)
{
    int64_t *column = s->rows->integers[line->integers];
    if (column)
        column[s->summary->rows] = value;
    if (line->integers++ == 0)
        line->first_integer = value;
}

static inline int is_minus_one(const uint8_t *p, const uint8_t *end)
{
    return end - p == 2 && p[0] == '-' && p[1] == '1';
}

/* The value of a field that is a whole number from 0 to the largest, else ABSENT and a problem. */
static inline int64_t whole_number(line_state *line, const uint8_t *p, const uint8_t *end,
                                   int64_t largest)
{
    int64_t value;
    if (read_whole(p, end, &value) && value <= largest)
        return value;
    line->is_problem = 1;
    return FOVEAL_ABSENT;
}

static inline void take_offset(scanner *s, line_state *line, const uint8_t *p, const uint8_t *end)
{
    int is_unmapped = (end - p == 1 && *p == 'X') || is_minus_one(p, end);
    line->offset =
        is_unmapped ? FOVEAL_UNMAPPED : whole_number(line, p, end, FOVEAL_LARGEST_OFFSET);
    put_integer(s, line, line->offset);
}

static inline void take_length(scanner *s, line_state *line, const uint8_t *p, const uint8_t *end)
{
    int64_t largest = FOVEAL_LARGEST_OFFSET - line->offset;
    int is_unmapped = line->offset == FOVEAL_UNMAPPED;
    put_integer(s, line, is_unmapped ? FOVEAL_ABSENT : whole_number(line, p, end, largest));
}

static inline void take_entry(scanner *s, line_state *line, const uint8_t *p, const uint8_t *end)
{
    line->has_entry = 1;
    int is_none = is_minus_one(p, end);
    put_integer(s, line,
                is_none ? FOVEAL_UNMAPPED : whole_number(line, p, end, FOVEAL_LARGEST_OFFSET));
}

static void take_passage(scanner *s, line_state *line, const uint8_t *p, const uint8_t *end)
{
    const foveal_passages *passages = s->passages;
    size_t index = s->summary->passages + line->passages;
    const uint8_t *colon = memchr(p, ':', (size_t)(end - p));
    int64_t start, length;
    if (!colon || !read_whole(p, colon, &start) || !read_whole(colon + 1, end, &length) ||
        start > FOVEAL_LARGEST_OFFSET || length > FOVEAL_LARGEST_OFFSET - start) {
        line->is_problem = 1;
        return;
    }
    line->passages++;
    if (!passages->row)
        return;
    if (index >= passages->capacity) {
        line->outcome = FOVEAL_PASSAGES_FULL;
        return;
    }
    passages->row[index] = (int64_t)s->summary->rows;
    passages->start[index] = start;
    passages->end[index] = start + length;
}

static inline void take_field(scanner *s, line_state *line, const uint8_t *p, const uint8_t *end)
{
    const foveal_layout *layout = s->layout;
    char kind = line->fields < layout->fields ? layout->kinds[line->fields] : layout->beyond;
    line->fields++;
    switch (kind) {
    case 'T':
        take_topic(s, name_of(s, p, end));
        break;
    case 'D':
        take_document(s, name_of(s, p, end));
        break;
    case 'S':
        take_score(s, line, p, end);
        break;
    case 'R':
        take_rank(s, p, end);
        break;
    case 'G':
        take_tag(s, name_of(s, p, end));
        break;
    case 'N':
        put_integer(s, line, whole_number(line, p, end, FOVEAL_LARGEST_OFFSET));
        break;
    case 'O':
        take_offset(s, line, p, end);
        break;
    case 'L':
        take_length(s, line, p, end);
        break;
    case 'E':
        take_entry(s, line, p, end);
        break;
    case FOVEAL_PASSAGE:
        take_passage(s, line, p, end);
        break;
    case FOVEAL_REFUSED:
        line->is_problem = 1;
        break;
    }
}

/* Lines -------------------------------------------------------------------------------------- */

static foveal_outcome begin_stretch(scanner *s)
{
    const foveal_stretches *stretches = s->stretches;
    size_t index = s->summary->stretches++;
    s->is_new_topic = 0;
    if (!stretches->row)
        return FOVEAL_DONE;
    if (index >= stretches->capacity)
        return FOVEAL_STRETCHES_FULL;
    stretches->row[index] = (int64_t)s->summary->rows;
    stretches->offset[index] = s->topic.offset;
    stretches->length[index] = s->topic.length;
    stretches->hash[index] = s->topic_hash;
    return FOVEAL_DONE;
}

static foveal_outcome record_skipped(scanner *s)
{
    const foveal_skips *skips = s->skips;
    size_t index = s->summary->skips++;
    s->skips_recorded = s->skipped;
    if (!skips->row)
        return FOVEAL_DONE;
    if (index >= skips->capacity)
        return FOVEAL_SKIPS_FULL;
    skips->row[index] = (int64_t)s->summary->rows;
    skips->skipped[index] = (int64_t)s->skipped;
    return FOVEAL_DONE;
}

/* The fields are read: make a row of them, or count a problem. */
static foveal_outcome finish_line(scanner *s, line_state *line)
{
    foveal_summary *summary = s->summary;
    const foveal_layout *layout = s->layout;
    int lacks_passages = line->has_entry && layout->beyond == FOVEAL_PASSAGE && !line->passages;
    if (line->fields < layout->min_fields || line->is_problem ||
        (lacks_passages && line->first_integer > 0)) {
        summary->problems++;
        summary->slow -= line->slow;
        s->skipped++;
        return FOVEAL_DONE;
    }
    for (size_t i = line->fields; i < layout->fields; i++)
        if (strchr(FOVEAL_WHOLE_NUMBERS, layout->kinds[i]))
            put_integer(s, line, FOVEAL_ABSENT);
    foveal_outcome outcome = FOVEAL_DONE;
    if (s->is_new_topic)
        outcome = begin_stretch(s);
    if (s->skipped != s->skips_recorded && outcome == FOVEAL_DONE)
        outcome = record_skipped(s);
    summary->passages += line->passages;
    summary->rows++;
    return outcome;
}

/* Read the line at p, and move p to the next one. */
static foveal_outcome scan_line(scanner *s, const uint8_t **next)
{
    const uint8_t *start = *next, *p = gap_end(start, s->end);
    line_state line = {0};
    int is_comment = p < s->end && *p == '#', has_data = p < s->end && *p != '\n' && !is_comment;
    if (has_data && s->summary->rows >= s->rows->capacity)
        return FOVEAL_ROWS_FULL;
    if (is_comment) {
        p = line_end(p, s->end);
        line.bits = FOVEAL_HIGH_BITS;
    }
    while (p < s->end && *p != '\n') {
        const uint8_t *end = field_end(s, &line, p);
        take_field(s, &line, p, end);
        p = gap_end(end, s->end);
    }
    *next = p < s->end ? p + 1 : p;
    if (line.outcome != FOVEAL_DONE)
        return line.outcome;
    if ((line.bits & FOVEAL_HIGH_BITS) && !foveal_is_utf8(start, p))
        line.is_problem = 1;
    foveal_outcome outcome = FOVEAL_DONE;
    if (has_data || line.is_problem)
        outcome = finish_line(s, &line);
    else
        s->skipped++;
    s->summary->lines++;
    return outcome;
}

foveal_outcome foveal_scan(const uint8_t *block, size_t size, const foveal_layout *layout,
                           uint64_t seed, const foveal_rows *rows,
                           const foveal_stretches *stretches, const foveal_skips *skips,
                           const foveal_passages *passages, foveal_summary *summary)
{
    memset(summary, 0, sizeof *summary);
    summary->has_whole_ranks = 1;
    scanner s = {.block = block, .end = block + size, .layout = layout, .seed = seed,
                 .rows = rows, .stretches = stretches, .skips = skips, .passages = passages,
                 .summary = summary};
    foveal_outcome outcome = FOVEAL_DONE;
    for (const uint8_t *p = block; p < s.end && outcome == FOVEAL_DONE;)
        outcome = scan_line(&s, &p);
    return outcome;
}
