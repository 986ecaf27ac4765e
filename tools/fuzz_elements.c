/* Feed the scanner of elements mutated documents: `make fuzz`, which needs libexpat.
 *
 * Built with the address and undefined-behaviour sanitizers. Every input is in a buffer of exactly
 * its size, so that reading one byte too many ends the program. The result is checked as well: every
 * element is inside its parent, and every document ends inside the data.
 *
 *     fuzz_elements [INPUTS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LONGEST_INPUT 8192
#define MAX_MUTATIONS 3
#define DEEPEST 40

/* Functions of libexpat, with the types of elements.h. */
int XML_GetErrorCode(foveal_parser);
unsigned long XML_GetCurrentColumnNumber(foveal_parser);
unsigned long XML_GetCurrentLineNumber(foveal_parser);
int XML_Parse(foveal_parser, const char *, int, int);
foveal_parser XML_ParserCreate_MM(const char *, const void *, const char *);
void XML_ParserFree(foveal_parser);
void XML_SetCharacterDataHandler(foveal_parser, void (*)(void *, const char *, int));
void XML_SetCommentHandler(foveal_parser, void (*)(void *, const char *));
void XML_SetElementHandler(foveal_parser, void (*)(void *, const char *, const char **),
                           void (*)(void *, const char *));
void XML_SetProcessingInstructionHandler(foveal_parser,
                                         void (*)(void *, const char *, const char *));
void XML_SetUserData(foveal_parser, void *);
void XML_SetStartDoctypeDeclHandler(foveal_parser, void (*)(void *, const char *, const char *,
                                                            const char *, int));

static const foveal_expat EXPAT = {
    .GetErrorCode = XML_GetErrorCode,
    .GetErrorColumnNumber = XML_GetCurrentColumnNumber,
    .GetErrorLineNumber = XML_GetCurrentLineNumber,
    .Parse = XML_Parse,
    .ParserCreate_MM = XML_ParserCreate_MM,
    .ParserFree = XML_ParserFree,
    .SetCharacterDataHandler = XML_SetCharacterDataHandler,
    .SetCommentHandler = XML_SetCommentHandler,
    .SetElementHandler = XML_SetElementHandler,
    .SetProcessingInstructionHandler = XML_SetProcessingInstructionHandler,
    .SetUserData = XML_SetUserData,
    .SetStartDoctypeDeclHandler = XML_SetStartDoctypeDeclHandler,
};

static const char *const GOOD[] = {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c -->\n<article id='7'><n>1</n>"
    "<sec a=\"x > y\" b=\"&lt;\"><p>one <b>two</b> &amp; &#x1F600;</p>\r\n<p/><?p q?></sec>"
    "<sec><![CDATA[<p>]]><sec><p>na\xc3\xafve</p><p>\xf0\x9f\x98\x80</p></sec></sec></article>\n",
    "<a id='1'>x</a>\n<a id='2'><a><a/> <b/></a></a><!-- end -->\r\n<?xml version='1.0'?><c id='3'/>",
    "\xef\xbb\xbf<x:y xmlns:x='urn:x' xml:lang='en'>\r\r\n \t<x:z/>&#13;&#65;</x:y>",
    "<?xml version='1.0' encoding='iso-8859-1'?><a>caf\xe9<b\xe9/></a>",
    "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>"
    "</a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a>"
    "</a></a></a></a></a></a></a>",
    "<!DOCTYPE a [<!ENTITY x 'yyy'><!ENTITY y '&x;&x;'>]><a>&y;</a>",
};

static const char *const PIECES[] = {
    "<a>", "</a>", "<b x='1'>", "</b>", "<c/>", "<", ">", "/>", "&", ";", "&amp;", "&#65;", "&x;",
    "<!--", "-->", "<!-- c -->", "<?p?>", "<?", "?>", "<?xml version='1.0'?>", "<![CDATA[", "]]>",
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>", "<?xml version='1.0' encoding='utf-16'?>",
    "<!DOCTYPE a>", "<!", "\r", "\n", "\r\n", " ", "\t", "\xef\xbb\xbf", "\xc3\xa9", "\xc3", "\xff",
    "\xed\xa0\x80", "\xf0\x9f\x98\x80", " id='7'", "<n>8</n>", "=", "'", "\"", "xml", ":",
};

static const char *const RULES[] = {"", "", "@id", "n", "a", "@"};

static struct {
    size_t bytes, read, refused, later, rows;
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
    return (size_t)(random_number() >> 11) % limit;
}

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Replaces a few bytes by a piece or another byte. */
static size_t mutated(char *data, size_t size)
{
    char byte[2] = {(char)below(256), '\0'};
    const char *piece = below(5) ? PIECES[below(COUNT(PIECES))] : byte;
    size_t at = below(size + 1);
    size_t removed = below(2) ? 0 : below(size - at + 1 < 8 ? size - at + 1 : 8);
    size_t added = *piece ? strlen(piece) : 1;
    if (size - removed + added > LONGEST_INPUT)
        return size;
    memmove(data + at + added, data + at + removed, size - at - removed);
    memcpy(data + at, piece, added);
    return size - removed + added;
}

static size_t new_input(char *data)
{
    size_t size = 0;
    for (size_t count = 1 + below(3); count; count--) {
        const char *good = GOOD[below(COUNT(GOOD))];
        memcpy(data + size, good, strlen(good));
        size += strlen(good);
        if (below(2))
            break;
    }
    for (size_t count = below(MAX_MUTATIONS + 1); count; count--)
        size = mutated(data, size);
    return size;
}

static void check(const foveal_elements *elements, const foveal_options *options, size_t size)
{
    uint64_t ends[DEEPEST + 1] = {elements->length};
    size_t depth = 0, names = 0;
    for (size_t at = 0; at < elements->names_size; at++)
        names += elements->names[at] == '\0';
    for (size_t at = 0; at < elements->row_count; at++) {
        foveal_row row = elements->rows[at];
        if (row.depth < 1 || row.depth > depth + 1 || row.depth > options->max_depth)
            fail("an element is too deep");
        if (row.name > names || !row.name != !row.ordinal)
            fail("an element has an unknown name");
        depth = row.depth;
        ends[depth] = (uint64_t)row.start + row.length;
        if (ends[depth] > ends[depth - 1])
            fail("an element is not in its parent");
    }
    size_t end = elements->end;
    if (!end || end > size || (!options->is_one_of_many && end < size))
        fail("a document does not end in the data");
}

static void feed(const char *data, size_t size)
{
    foveal_options options = {
        .counts_bytes = (int)below(2),
        .merges_blanks = (int)below(2),
        .max_depth = below(8) ? DEEPEST : (uint32_t)below(4),
        .portion = below(2) ? LONGEST_INPUT : 1 + below(50),
        .id_rule = RULES[below(COUNT(RULES))],
    };
    options.is_one_of_many = *options.id_rule != '\0';
    foveal_elements elements;
    for (size_t at = 0; at < size; at += elements.end, foveal_elements_free(&elements)) {
        if (!foveal_read_elements(&EXPAT, data + at, size - at, &options, &elements)) {
            total.refused++;
            return;
        }
        check(&elements, &options, size - at);
        total.read++;
        total.later += at > 0;
        total.rows += elements.row_count;
    }
}

int main(int count, char **words)
{
    size_t inputs = count > 1 ? strtoull(words[1], NULL, 10) : 1000000;
    state = (count > 2 ? strtoull(words[2], NULL, 10) : 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    static char data[LONGEST_INPUT + 1];
    for (size_t input = 0; input < inputs; input++) {
        size_t size = new_input(data);
        char *exact = malloc(size ? size : 1);
        if (!exact)
            return 1;
        memcpy(exact, data, size);
        feed(exact, size);
        total.bytes += size;
        free(exact);
    }
    printf("%zu inputs, %zu bytes: %zu documents read (%zu of them after another), %zu rows;"
           " %zu left to Python\n",
           inputs, total.bytes, total.read, total.later, total.rows, total.refused);
}
