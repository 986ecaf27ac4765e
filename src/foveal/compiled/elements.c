/* The elements of one XML document: expat parses, and the handlers below count.
 *
 * Nothing is reported from here. A document that is not plain (it has a DOCTYPE or an error, or
 * memory runs out) is refused, and the Python scanner reads it again and reports what is wrong. So
 * the functions below may refuse any document, but may not get one wrong.
 */
#include "elements.h"
#include "xml_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Longer data are refused: their counts might not fit 32 bits. */
#define LONGEST ((size_t)1 << 30)
/* Expat copies its input, so it gets no more than this at once. */
#define LARGEST_PORTION ((size_t)1 << 24)
/* A name that is farther from its slot is refused: its hashes were made to collide. */
#define MAX_PROBES 64
/* enum XML_Error: expat's errors where another document follows. */
#define JUNK_AFTER_DOC_ELEMENT 9
#define MISPLACED_XML_PI 17

typedef struct {
    size_t offset; /* in the names */
    size_t size;
    uint32_t parent, count; /* the row (from 1) whose children are counted, and their number */
} name_entry;

/* An element that is open. */
typedef struct {
    uint32_t row;
    size_t hidden; /* number of hidden counts when it opened */
} frame;

/* The count of an outer element's children, kept while those of an inner one are counted. */
typedef struct {
    uint32_t name, parent, count;
} hidden_count;

typedef struct {
    const foveal_options *options;
    foveal_elements *elements;
    uint64_t position; /* in the text */
    size_t depth;
    int is_refused, is_in_blank, is_in_id, is_id_known;
    size_t row_capacity, names_capacity, id_capacity;
    name_entry *entries;
    size_t entry_count, entry_capacity;
    uint32_t *slots; /* numbers of names by their hashes; 0 is an empty slot */
    size_t slot_count;
    frame *frames;
    size_t frame_capacity;
    hidden_count *hidden;
    size_t hidden_count, hidden_capacity;
} scan;

/* Make an array long enough for `needed` items; 0 if memory runs out. */
static int reserve(void *array, size_t *capacity, size_t needed, size_t width)
{
    if (needed <= *capacity)
        return 1;
    size_t new_capacity = *capacity ? *capacity : 64;
    while (new_capacity < needed) {
        if (new_capacity > SIZE_MAX / 2)
            return 0;
        new_capacity *= 2;
    }
    if (new_capacity > SIZE_MAX / width)
        return 0;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = realloc(old, new_capacity * width);
    if (!grown)
        return 0;
    memcpy(array, &grown, sizeof grown);
    *capacity = new_capacity;
    return 1;
}

static int append(char **bytes, size_t *size, size_t *capacity, const char *added,
                  size_t added_size)
{
    if (!added_size)
        return 1;
    if (added_size > SIZE_MAX - *size || !reserve(bytes, capacity, *size + added_size, 1))
        return 0;
    memcpy(*bytes + *size, added, added_size);
    *size += added_size;
    return 1;
}

static size_t hash_of(const char *name, size_t size)
{
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of a name, or an empty one for it; SIZE_MAX if too many other names are in the way. */
static size_t slot_of(const scan *s, const char *name, size_t size)
{
    size_t slot = hash_of(name, size);
    for (int probe = 0; probe < MAX_PROBES; probe++, slot++) {
        slot &= s->slot_count - 1;
        uint32_t number = s->slots[slot];
        if (!number)
            return slot;
        const name_entry *entry = &s->entries[number - 1];
        if (entry->size == size && !memcmp(s->elements->names + entry->offset, name, size))
            return slot;
    }
    return SIZE_MAX;
}

/* Keep at least half of the slots empty; 0 if that fails. */
static int make_slots(scan *s)
{
    if (2 * (s->entry_count + 1) <= s->slot_count)
        return 1;
    size_t count = s->slot_count ? 2 * s->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return 0;
    free(s->slots);
    s->slots = slots;
    s->slot_count = count;
    for (size_t number = 0; number < s->entry_count; number++) {
        const name_entry *entry = &s->entries[number];
        size_t slot = slot_of(s, s->elements->names + entry->offset, entry->size);
        if (slot == SIZE_MAX)
            return 0;
        slots[slot] = (uint32_t)number + 1;
    }
    return 1;
}

/* The number of a name, from 1; 0 if it cannot be added. */
static uint32_t number_of(scan *s, const char *name)
{
    size_t size = strlen(name);
    if (!make_slots(s))
        return 0;
    size_t slot = slot_of(s, name, size);
    if (slot == SIZE_MAX)
        return 0;
    if (s->slots[slot])
        return s->slots[slot];
    foveal_elements *elements = s->elements;
    size_t offset = elements->names_size;
    if (!reserve(&s->entries, &s->entry_capacity, s->entry_count + 1, sizeof *s->entries) ||
        !append(&elements->names, &elements->names_size, &s->names_capacity, name, size + 1))
        return 0;
    s->entries[s->entry_count++] = (name_entry){offset, size, UINT32_MAX, 0};
    return s->slots[slot] = (uint32_t)s->entry_count;
}

/* A child's number among those of its name in the innermost open element; 0 if memory runs out.
 *
 * Each name has one current count, for the innermost open element with such a child. Counts for
 * outer elements are hidden until that element closes. */
static uint32_t ordinal_of(scan *s, uint32_t name)
{
    name_entry *entry = &s->entries[name - 1];
    uint32_t parent = s->depth ? s->frames[s->depth - 1].row + 1 : 0;
    if (entry->parent != parent) {
        if (!reserve(&s->hidden, &s->hidden_capacity, s->hidden_count + 1, sizeof *s->hidden))
            return 0;
        s->hidden[s->hidden_count++] = (hidden_count){name, entry->parent, entry->count};
        entry->parent = parent;
        entry->count = 0;
    }
    return ++entry->count;
}

/* Add a row one deeper than the innermost open element; 0 if that fails. */
static int add_row(scan *s, uint32_t name, uint32_t ordinal)
{
    foveal_elements *elements = s->elements;
    if (s->position > UINT32_MAX || elements->row_count >= UINT32_MAX - 1 ||
        !reserve(&elements->rows, &s->row_capacity, elements->row_count + 1,
                 sizeof *elements->rows))
        return 0;
    elements->rows[elements->row_count++] =
        (foveal_row){name, ordinal, (uint32_t)s->depth + 1, (uint32_t)s->position, 0};
    return 1;
}

static int keep_id(scan *s, const char *text, size_t size)
{
    return append(&s->elements->id, &s->elements->id_size, &s->id_capacity, text, size);
}

/* Look for the id where an element starts; 0 if memory runs out. */
static int find_id(scan *s, const char *name, const char **attributes)
{
    const char *rule = s->options->id_rule;
    if (*rule != '@') {
        s->is_in_id = s->is_in_id || !strcmp(name, rule);
        return 1;
    }
    s->is_id_known = 1;
    for (; *attributes; attributes += 2)
        if (!strcmp(attributes[0], rule + 1))
            return keep_id(s, attributes[1], strlen(attributes[1]));
    return 1;
}

static void on_start(void *user, const char *name, const char **attributes)
{
    scan *s = user;
    if (s->is_refused)
        return;
    s->is_refused = 1;
    if (s->depth >= s->options->max_depth ||
        !reserve(&s->frames, &s->frame_capacity, s->depth + 1, sizeof *s->frames))
        return;
    if (*s->options->id_rule && !s->is_id_known && !find_id(s, name, attributes))
        return;
    uint32_t number = number_of(s, name);
    uint32_t ordinal = number ? ordinal_of(s, number) : 0;
    if (!ordinal || !add_row(s, number, ordinal))
        return;
    s->frames[s->depth++] = (frame){(uint32_t)(s->elements->row_count - 1), s->hidden_count};
    s->is_in_blank = 0;
    s->is_refused = 0;
}

static void on_end(void *user, const char *name)
{
    scan *s = user;
    if (s->is_refused)
        return;
    /* Expat reports no end without a start, but memory safety should not depend on that. */
    if (!s->depth || s->position > UINT32_MAX) {
        s->is_refused = 1;
        return;
    }
    frame closed = s->frames[--s->depth];
    foveal_row *row = &s->elements->rows[closed.row];
    row->length = (uint32_t)s->position - row->start;
    while (s->hidden_count > closed.hidden) {
        hidden_count outer = s->hidden[--s->hidden_count];
        s->entries[outer.name - 1].parent = outer.parent;
        s->entries[outer.name - 1].count = outer.count;
    }
    if (s->is_in_id && !strcmp(name, s->options->id_rule)) {
        s->is_in_id = 0;
        s->is_id_known = 1;
    }
    s->is_in_blank = 0;
}

/* A comment or processing instruction; outside the root it separates no text. */
static void on_separator(scan *s)
{
    if (s->is_refused || !s->depth)
        return;
    if (s->depth >= s->options->max_depth || !add_row(s, 0, 0))
        s->is_refused = 1;
    s->is_in_blank = 0;
}

static void on_comment(void *user, const char *text)
{
    (void)text;
    on_separator(user);
}

static void on_instruction(void *user, const char *target, const char *text)
{
    (void)target;
    (void)text;
    on_separator(user);
}

static void on_doctype(void *user, const char *name, const char *system, const char *public_id,
                       int has_internal_subset)
{
    (void)name;
    (void)system;
    (void)public_id;
    (void)has_internal_subset;
    ((scan *)user)->is_refused = 1;
}

static uint64_t merged(scan *s, const char *text, size_t size)
{
    uint64_t count = 0;
    for (size_t i = 0; i < size; i++) {
        char byte = text[i];
        int is_blank = byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
        if (is_blank)
            count += !s->is_in_blank;
        else
            count += s->options->counts_bytes || ((unsigned char)byte & 0xC0) != 0x80;
        s->is_in_blank = is_blank;
    }
    return count;
}

static void on_text(void *user, const char *text, int size)
{
    scan *s = user;
    if (s->is_refused)
        return;
    if (s->is_in_id && !keep_id(s, text, (size_t)size)) {
        s->is_refused = 1;
        return;
    }
    if (s->options->merges_blanks)
        s->position += merged(s, text, (size_t)size);
    else
        s->position += s->options->counts_bytes ? (size_t)size
                                                : foveal_xml_characters(text, (size_t)size);
}

/* Whether an error only means that another document follows; if so, sets the end of this one.
 *
 * The next document must begin with an element or a declaration: which error expat reports for
 * other text depends on how its input was divided. */
static int is_over(const scan *s, const foveal_expat *expat, foveal_parser parser,
                   const char *data, size_t size)
{
    int code = expat->GetErrorCode(parser);
    if (s->is_refused || s->depth || !s->elements->row_count || !s->options->is_one_of_many ||
        (code != JUNK_AFTER_DOC_ELEMENT && code != MISPLACED_XML_PI) ||
        !foveal_xml_is_utf8(data, data + size))
        return 0;
    size_t end = foveal_xml_offset(data, size, expat->GetErrorLineNumber(parser),
                                   expat->GetErrorColumnNumber(parser));
    s->elements->end = end;
    return size - end > 1 && data[end] == '<' && data[end + 1] != '!';
}

static int is_parsed(scan *s, const foveal_expat *expat, foveal_parser parser, const char *data,
                     size_t size)
{
    size_t portion = s->options->portion ? s->options->portion : 1;
    for (size_t start = 0; !s->is_refused;) {
        size_t end = portion < size - start ? start + portion : size;
        /* Expat would count a CR LF that is divided as two line ends. */
        while (end < size && data[end - 1] == '\r')
            end++;
        if (!expat->Parse(parser, data + start, (int)(end - start), end == size))
            return is_over(s, expat, parser, data, size);
        if (end == size)
            return !s->is_refused && !s->depth && s->elements->row_count;
        start = end;
        portion = portion < LARGEST_PORTION / 2 ? 2 * portion : LARGEST_PORTION;
    }
    return 0;
}

static int is_scanned(scan *s, const foveal_expat *expat, const char *data, size_t size)
{
    foveal_parser parser = expat->ParserCreate_MM(NULL, NULL, NULL);
    if (!parser)
        return 0;
    expat->SetUserData(parser, s);
    expat->SetElementHandler(parser, on_start, on_end);
    expat->SetCharacterDataHandler(parser, on_text);
    expat->SetCommentHandler(parser, on_comment);
    expat->SetProcessingInstructionHandler(parser, on_instruction);
    expat->SetStartDoctypeDeclHandler(parser, on_doctype);
    int is_done = is_parsed(s, expat, parser, data, size);
    expat->ParserFree(parser);
    return is_done && s->position <= UINT32_MAX;
}

int foveal_read_elements(const foveal_expat *expat, const char *data, size_t size,
                         const foveal_options *options, foveal_elements *elements)
{
    scan s = {.options = options, .elements = elements};
    memset(elements, 0, sizeof *elements);
    elements->end = size;
    int is_read = size <= LONGEST && foveal_xml_is_plain(data, data + size) &&
                  is_scanned(&s, expat, data, size);
    elements->length = (uint32_t)s.position;
    free(s.entries);
    free(s.slots);
    free(s.frames);
    free(s.hidden);
    if (!is_read)
        foveal_elements_free(elements);
    return is_read;
}

void foveal_elements_free(foveal_elements *elements)
{
    free(elements->rows);
    free(elements->names);
    free(elements->id);
    memset(elements, 0, sizeof *elements);
}
