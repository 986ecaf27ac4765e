/* The elements of one XML document, without Python. */
#ifndef FOVEAL_ELEMENTS_H
#define FOVEAL_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

/* The functions that Python's own expat offers to other modules: the beginning of
 * `struct PyExpat_CAPI` in pyexpat.h. It is declared again because pyexpat.h needs the header of
 * expat, which many machines lack. Members that are not used are declared without arguments. */
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

/* An element, or a comment or processing instruction, which separates text nodes and has name and
 * ordinal 0. Names are numbered from 1 in order of appearance; an ordinal is an element's number
 * among those of its name in the same parent; the root has depth 1. */
typedef struct {
    uint32_t name, ordinal, depth, start, length;
} foveal_row;

/* How to read a document. */
typedef struct {
    int counts_bytes;    /* bytes of UTF-8 instead of characters */
    int merges_blanks;   /* a run of white space in a text node counts as one */
    int is_one_of_many;  /* another document may follow; otherwise that is an error */
    uint32_t max_depth;  /* the largest number of elements inside each other */
    size_t portion;      /* bytes that expat gets at first; each later portion is doubled */
    const char *id_rule; /* @NAME: the root's attribute; NAME: the first such element's text; "" */
} foveal_options;

/* The elements of a document. */
typedef struct {
    foveal_row *rows;
    size_t row_count;
    char *names; /* one after another, each with its terminating zero */
    size_t names_size;
    uint32_t length; /* of the text */
    size_t end;      /* where the document ends in the data */
    char *id;        /* NULL if there is none */
    size_t id_size;
} foveal_elements;

/* Read the document at the start of the data; 0 if that fails. Then it may be malformed or have a
 * DOCTYPE, or not: the Python scanner has to decide. */
int foveal_read_elements(const foveal_expat *expat, const char *data, size_t size,
                         const foveal_options *options, foveal_elements *elements);
void foveal_elements_free(foveal_elements *elements);

#endif
