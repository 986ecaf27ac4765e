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
/* Expat copies its input, so this is the most that it gets at once. */
#define LARGEST_PORTION ((size_t)1 << 24)
/* A name that is farther from its slot is refused: somebody chose names whose hashes collide. */
#define MOST_PROBES 64
/* enum XML_Error: expat's errors where another document follows. */
#define JUNK_AFTER_DOC_ELEMENT 9
#define MISPLACED_XML_PI 17

typedef struct {
    size_t place; /* in the names */
    size_t size;
    uint32_t parent, count; /* the row (from 1) whose children are counted, and their number */
} name_entry;

/* An element that is open. */
typedef struct {
    uint32_t row;
    size_t hidden; /* how many counts were hidden when it opened */
} frame;

/* The count of an outer element's children, kept while those of an inner one are counted. */
typedef struct {
    uint32_t name, parent, count;
} hidden_count;

typedef struct {
    const foveal_options *options;
    foveal_elements *found;
    uint64_t position; /* in the text */
    size_t depth;
    int is_refused, is_in_blank, is_in_id, is_id_known;
    size_t row_room, names_room, id_room;
    name_entry *entries;
    size_t entry_count, entry_room;
    uint32_t *slots; /* numbers of names by their hashes, 0 for none */
    size_t slot_count;
    frame *frames;
    size_t frame_room;
    hidden_count *hidden;
    size_t hidden_count, hidden_room;
} scan;

/* Makes an array long enough for `needed` items; returns whether it could. */
static int make_room(void *array, size_t *room, size_t needed, size_t width)
{
    if (needed <= *room)
        return 1;
    size_t wanted = *room ? *room : 64;
    while (wanted < needed) {
        if (wanted > SIZE_MAX / 2)
            return 0;
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / width)
        return 0;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = realloc(old, wanted * width);
    if (!grown)
        return 0;
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return 1;
}

static int append(char **bytes, size_t *size, size_t *room, const char *more, size_t more_size)
{
    if (!more_size)
        return 1;
    if (more_size > SIZE_MAX - *size || !make_room(bytes, room, *size + more_size, 1))
        return 0;
    memcpy(*bytes + *size, more, more_size);
    *size += more_size;
    return 1;
}

static size_t hash_of(const char *name, size_t size)
{
    uint64_t hash = size;
    for (size_t at = 0; at < size; at++)
        hash = (hash ^ (unsigned char)name[at]) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of a name, or an empty one for it; SIZE_MAX if too many other names are in the way. */
static size_t slot_of(const scan *own, const char *name, size_t size)
{
    size_t slot = hash_of(name, size);
    for (int probe = 0; probe < MOST_PROBES; probe++, slot++) {
        slot &= own->slot_count - 1;
        uint32_t number = own->slots[slot];
        if (!number)
            return slot;
        const name_entry *entry = &own->entries[number - 1];
        if (entry->size == size && !memcmp(own->found->names + entry->place, name, size))
            return slot;
    }
    return SIZE_MAX;
}

/* Keeps at least half of the slots empty; returns whether it could. */
static int make_slots(scan *own)
{
    if (2 * (own->entry_count + 1) <= own->slot_count)
        return 1;
    size_t count = own->slot_count ? 2 * own->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return 0;
    free(own->slots);
    own->slots = slots;
    own->slot_count = count;
    for (size_t number = 0; number < own->entry_count; number++) {
        const name_entry *entry = &own->entries[number];
        size_t slot = slot_of(own, own->found->names + entry->place, entry->size);
        if (slot == SIZE_MAX)
            return 0;
        slots[slot] = (uint32_t)number + 1;
    }
    return 1;
}

/* The number of a name, from 1; 0 if it cannot be added. */
static uint32_t number_of(scan *own, const char *name)
{
    size_t size = strlen(name);
    if (!make_slots(own))
        return 0;
    size_t slot = slot_of(own, name, size);
    if (slot == SIZE_MAX)
        return 0;
    if (own->slots[slot])
        return own->slots[slot];
    foveal_elements *found = own->found;
    size_t place = found->names_size;
    if (!make_room(&own->entries, &own->entry_room, own->entry_count + 1, sizeof *own->entries) ||
        !append(&found->names, &found->names_size, &own->names_room, name, size + 1))
        return 0;
    own->entries[own->entry_count++] = (name_entry){place, size, UINT32_MAX, 0};
    return own->slots[slot] = (uint32_t)own->entry_count;
}

/* A child's number among those of its name in the innermost open element; 0 if memory runs out.
 *
 * Each name has one current count, for the innermost open element with such a child. Counts for
 * outer elements are hidden until that element closes. */
static uint32_t ordinal_of(scan *own, uint32_t name)
{
    name_entry *entry = &own->entries[name - 1];
    uint32_t parent = own->depth ? own->frames[own->depth - 1].row + 1 : 0;
    if (entry->parent != parent) {
        if (!make_room(&own->hidden, &own->hidden_room, own->hidden_count + 1,
                       sizeof *own->hidden))
            return 0;
        own->hidden[own->hidden_count++] = (hidden_count){name, entry->parent, entry->count};
        entry->parent = parent;
        entry->count = 0;
    }
    return ++entry->count;
}

/* Adds a row one deeper than the innermost open element; returns whether it could. */
static int add_row(scan *own, uint32_t name, uint32_t ordinal)
{
    foveal_elements *found = own->found;
    if (own->position > UINT32_MAX || found->row_count >= UINT32_MAX - 1 ||
        !make_room(&found->rows, &own->row_room, found->row_count + 1, sizeof *found->rows))
        return 0;
    found->rows[found->row_count++] =
        (foveal_row){name, ordinal, (uint32_t)own->depth + 1, (uint32_t)own->position, 0};
    return 1;
}

static int keep_id(scan *own, const char *text, size_t size)
{
    return append(&own->found->id, &own->found->id_size, &own->id_room, text, size);
}

/* Looks for the id where an element starts; returns 0 if memory runs out. */
static int look_for_id(scan *own, const char *name, const char **attributes)
{
    const char *rule = own->options->id_rule;
    if (*rule != '@') {
        own->is_in_id = own->is_in_id || !strcmp(name, rule);
        return 1;
    }
    own->is_id_known = 1;
    for (; *attributes; attributes += 2)
        if (!strcmp(attributes[0], rule + 1))
            return keep_id(own, attributes[1], strlen(attributes[1]));
    return 1;
}

static void on_start(void *user, const char *name, const char **attributes)
{
    scan *own = user;
    if (own->is_refused)
        return;
    own->is_refused = 1;
    if (own->depth >= own->options->deepest ||
        !make_room(&own->frames, &own->frame_room, own->depth + 1, sizeof *own->frames))
        return;
    if (*own->options->id_rule && !own->is_id_known && !look_for_id(own, name, attributes))
        return;
    uint32_t number = number_of(own, name);
    uint32_t ordinal = number ? ordinal_of(own, number) : 0;
    if (!ordinal || !add_row(own, number, ordinal))
        return;
    own->frames[own->depth++] =
        (frame){(uint32_t)(own->found->row_count - 1), own->hidden_count};
    own->is_in_blank = 0;
    own->is_refused = 0;
}

static void on_end(void *user, const char *name)
{
    scan *own = user;
    if (own->is_refused)
        return;
    /* Expat reports no end without a start, but memory safety should not depend on that. */
    if (!own->depth || own->position > UINT32_MAX) {
        own->is_refused = 1;
        return;
    }
    frame closed = own->frames[--own->depth];
    foveal_row *row = &own->found->rows[closed.row];
    row->length = (uint32_t)own->position - row->start;
    while (own->hidden_count > closed.hidden) {
        hidden_count shown = own->hidden[--own->hidden_count];
        own->entries[shown.name - 1].parent = shown.parent;
        own->entries[shown.name - 1].count = shown.count;
    }
    if (own->is_in_id && !strcmp(name, own->options->id_rule)) {
        own->is_in_id = 0;
        own->is_id_known = 1;
    }
    own->is_in_blank = 0;
}

/* A comment or processing instruction; outside the root it separates no text. */
static void on_separator(scan *own)
{
    if (own->is_refused || !own->depth)
        return;
    if (own->depth >= own->options->deepest || !add_row(own, 0, 0))
        own->is_refused = 1;
    own->is_in_blank = 0;
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

static uint64_t merged(scan *own, const char *text, size_t size)
{
    uint64_t count = 0;
    for (size_t at = 0; at < size; at++) {
        char byte = text[at];
        int is_blank = byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
        if (is_blank)
            count += !own->is_in_blank;
        else
            count += own->options->counts_bytes || ((unsigned char)byte & 0xC0) != 0x80;
        own->is_in_blank = is_blank;
    }
    return count;
}

static void on_text(void *user, const char *text, int size)
{
    scan *own = user;
    if (own->is_refused)
        return;
    if (own->is_in_id && !keep_id(own, text, (size_t)size)) {
        own->is_refused = 1;
        return;
    }
    if (own->options->merges_blanks)
        own->position += merged(own, text, (size_t)size);
    else
        own->position += own->options->counts_bytes ? (size_t)size
                                                    : foveal_xml_characters(text, (size_t)size);
}

/* Whether an error only means that another document follows; if so, sets the end of this one.
 *
 * The next document must begin with an element or a declaration: which error expat reports for
 * other text depends on how its input was divided. */
static int is_over(const scan *own, const foveal_expat *expat, foveal_parser parser,
                   const char *data, size_t size)
{
    int code = expat->GetErrorCode(parser);
    if (own->is_refused || own->depth || !own->found->row_count || !own->options->is_one_of_many ||
        (code != JUNK_AFTER_DOC_ELEMENT && code != MISPLACED_XML_PI) ||
        !foveal_xml_is_utf8(data, data + size))
        return 0;
    size_t end = foveal_xml_place(data, size, expat->GetErrorLineNumber(parser),
                                  expat->GetErrorColumnNumber(parser));
    own->found->end = end;
    return size - end > 1 && data[end] == '<' && data[end + 1] != '!';
}

static int is_parsed(scan *own, const foveal_expat *expat, foveal_parser parser, const char *data,
                     size_t size)
{
    size_t portion = own->options->portion ? own->options->portion : 1;
    for (size_t at = 0; !own->is_refused;) {
        size_t stop = portion < size - at ? at + portion : size;
        /* Expat would count a CR LF that is divided as two line ends. */
        while (stop < size && data[stop - 1] == '\r')
            stop++;
        if (!expat->Parse(parser, data + at, (int)(stop - at), stop == size))
            return is_over(own, expat, parser, data, size);
        if (stop == size)
            return !own->is_refused && !own->depth && own->found->row_count;
        at = stop;
        portion = portion < LARGEST_PORTION / 2 ? 2 * portion : LARGEST_PORTION;
    }
    return 0;
}

static int is_scanned(scan *own, const foveal_expat *expat, const char *data, size_t size)
{
    foveal_parser parser = expat->ParserCreate_MM(NULL, NULL, NULL);
    if (!parser)
        return 0;
    expat->SetUserData(parser, own);
    expat->SetElementHandler(parser, on_start, on_end);
    expat->SetCharacterDataHandler(parser, on_text);
    expat->SetCommentHandler(parser, on_comment);
    expat->SetProcessingInstructionHandler(parser, on_instruction);
    expat->SetStartDoctypeDeclHandler(parser, on_doctype);
    int is_done = is_parsed(own, expat, parser, data, size);
    expat->ParserFree(parser);
    return is_done && own->position <= UINT32_MAX;
}

int foveal_elements_found(const foveal_expat *expat, const char *data, size_t size,
                          const foveal_options *options, foveal_elements *found)
{
    scan own = {.options = options, .found = found};
    memset(found, 0, sizeof *found);
    found->end = size;
    int is_found = size <= LONGEST && foveal_xml_is_plain(data, data + size) &&
                   is_scanned(&own, expat, data, size);
    found->length = (uint32_t)own.position;
    free(own.entries);
    free(own.slots);
    free(own.frames);
    free(own.hidden);
    if (!is_found)
        foveal_elements_free(found);
    return is_found;
}

void foveal_elements_free(foveal_elements *found)
{
    free(found->rows);
    free(found->names);
    free(found->id);
    memset(found, 0, sizeof *found);
}
