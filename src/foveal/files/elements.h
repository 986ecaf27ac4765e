/* The elements of one XML document, without Python. */
#ifndef FOVEAL_ELEMENTS_H
#define FOVEAL_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

/* What Python's own expat offers to other modules, as far as it is used here: the beginning of
 * `struct PyExpat_CAPI` in pyexpat.h, which needs a header of expat that few machines have. Types
 * that are only passed on, and functions that are not called, are without their arguments. */
#define FOVEAL_EXPAT_NAME "pyexpat.expat_CAPI"
#define FOVEAL_EXPAT_MAGIC "pyexpat.expat_CAPI 1.1"

typedef struct XML_ParserStruct *foveal_parser;

typedef struct {
    const char *magic;
    int size;
    int version[3];
    void (*unused_ErrorString)(void);
    int (*GetErrorCode)(foveal_parser);
    unsigned long (*GetErrorColumnNumber)(foveal_parser);
    unsigned long (*GetErrorLineNumber)(foveal_parser);
    int (*Parse)(foveal_parser, const char *data, int size, int is_final);
    foveal_parser (*ParserCreate_MM)(const char *encoding, const void *memory, const char *between);
    void (*ParserFree)(foveal_parser);
    void (*SetCharacterDataHandler)(foveal_parser, void (*)(void *, const char *, int));
    void (*SetCommentHandler)(foveal_parser, void (*)(void *, const char *));
    void (*unused_SetDefaultHandlerExpand)(void);
    void (*SetElementHandler)(foveal_parser, void (*start)(void *, const char *, const char **),
                              void (*end)(void *, const char *));
    void (*unused_SetNamespaceDeclHandler)(void);
    void (*SetProcessingInstructionHandler)(foveal_parser,
                                            void (*)(void *, const char *, const char *));
    void (*unused_SetUnknownEncodingHandler)(void);
    void (*SetUserData)(foveal_parser, void *);
    void (*SetStartDoctypeDeclHandler)(foveal_parser, void (*)(void *, const char *, const char *,
                                                               const char *, int));
} foveal_expat;

/* An element, or a comment or processing instruction inside one, which parts two text nodes: its
 * name and ordinal are 0. Names are numbered from 1 as they come, ordinals count elements of a
 * name in the same parent, a root has depth 1. */
typedef struct {
    uint32_t name, ordinal, depth, start, length;
} foveal_row;

/* How a document is read. */
typedef struct {
    int counts_bytes;    /* of UTF-8, not characters */
    int merges_blanks;   /* a run of white space in a text node counts once */
    int is_one_of_many;  /* what follows the document is another one, not an error */
    uint32_t deepest;    /* how many elements may be inside each other */
    size_t portion;      /* how many bytes expat is given first; then always twice as many */
    const char *id_rule; /* @NAME: the root's attribute; NAME: the first such element's text; "" */
} foveal_options;

/* What is found. */
typedef struct {
    foveal_row *rows;
    size_t row_count;
    char *names; /* one after another, each with the zero that ends it */
    size_t names_size;
    uint32_t length; /* of the text */
    size_t end;      /* where the document ends in the data */
    char *id;        /* NULL if there is none */
    size_t id_size;
} foveal_elements;

/* Whether the document at the beginning of the data was read. If not, nothing is said about it:
 * it may be malformed, have a DOCTYPE, or be something else that the Python scanner decides. */
int foveal_elements_found(const foveal_expat *expat, const char *data, size_t size,
                          const foveal_options *options, foveal_elements *found);
void foveal_elements_free(foveal_elements *found);

#endif
