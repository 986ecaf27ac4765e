/* Properties of the text of an XML document, found without a parser. */
#ifndef FOVEAL_XML_TEXT_H
#define FOVEAL_XML_TEXT_H

#include <stddef.h>

/* Whether the data begin like a document without a DOCTYPE, in UTF-8 or an encoding of single
 * bytes. Expat reports a DOCTYPE too, but cannot be stopped there, and entities can expand to much
 * text. */
int foveal_xml_is_plain(const char *data, const char *end);

/* Whether a plain document is certainly in UTF-8. */
int foveal_xml_is_utf8(const char *data, const char *end);

/* The offset of a line (from 1) and column (from 0) in UTF-8 text. As in expat, a line ends with CR,
 * LF or both, and every character is a column. */
size_t foveal_xml_offset(const char *data, size_t size, unsigned long line, unsigned long column);

/* The number of characters in valid UTF-8: of bytes that are not 10xxxxxx. */
size_t foveal_xml_characters(const char *text, size_t size);

#endif
