/* What the text of an XML document tells without a parser. */
#ifndef FOVEAL_XML_TEXT_H
#define FOVEAL_XML_TEXT_H

#include <stddef.h>

/* Whether the data begin as those of a document without a DOCTYPE in an encoding of single bytes
 * or UTF-8. Expat says so, too, but reads on, and what a DOCTYPE declares can be long. */
int foveal_xml_is_plain(const char *data, const char *end);

/* Whether a document that is plain is surely in UTF-8. */
int foveal_xml_is_utf8(const char *data, const char *end);

/* The byte at a line, from 1, and column, from 0, of text in UTF-8, as expat counts: CR, LF or
 * both end a line, a character is a column. */
size_t foveal_xml_place(const char *data, size_t size, unsigned long line, unsigned long column);

/* How many characters there are in valid UTF-8: as many as bytes that are not 10xxxxxx. */
size_t foveal_xml_characters(const char *text, size_t size);

#endif
