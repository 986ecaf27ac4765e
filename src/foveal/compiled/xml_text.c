#include "xml_text.h"

#include <stdint.h>
#include <string.h>

static int starts_with(const char *p, const char *end, const char *prefix)
{
    size_t size = strlen(prefix);
    return (size_t)(end - p) >= size && !memcmp(p, prefix, size);
}

/* Pointer behind the next occurrence of a text, or the end. */
static const char *skip_past(const char *p, const char *end, const char *sought)
{
    size_t size = strlen(sought);
    while (p < end && (p = memchr(p, *sought, (size_t)(end - p)))) {
        if (starts_with(p, end, sought))
            return p + size;
        p++;
    }
    return end;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    return p;
}

int foveal_xml_is_plain(const char *data, const char *end)
{
    const char *p = starts_with(data, end, "\xEF\xBB\xBF") ? data + 3 : data;
    for (;;) {
        p = skip_blanks(p, end);
        if (starts_with(p, end, "<?"))
            p = skip_past(p + 2, end, "?>");
        else if (starts_with(p, end, "<!--"))
            p = skip_past(p + 4, end, "-->");
        else
            return end - p > 1 && p[0] == '<' && p[1] != '!' && p[1] != '\0';
    }
}

int foveal_xml_is_utf8(const char *data, const char *end)
{
    const char *p = starts_with(data, end, "\xEF\xBB\xBF") ? data + 3 : data;
    if (!starts_with(p, end, "<?xml"))
        return 1;
    end = skip_past(p, end, "?>");
    p = skip_past(p, end, "encoding");
    if (p == end)
        return 1;
    p = skip_blanks(p, end);
    p = skip_blanks(p < end && *p == '=' ? p + 1 : p, end);
    return starts_with(p, end, "\"UTF-8\"") || starts_with(p, end, "'UTF-8'") ||
           starts_with(p, end, "\"utf-8\"") || starts_with(p, end, "'utf-8'");
}

size_t foveal_xml_offset(const char *data, size_t size, unsigned long line, unsigned long column)
{
    size_t offset = 0;
    while (line > 1 && offset < size) {
        char byte = data[offset++];
        line -= byte == '\n' || byte == '\r';
        offset += byte == '\r' && offset < size && data[offset] == '\n';
    }
    while (column > 0 && offset < size) {
        offset++;
        column -= offset == size || ((unsigned char)data[offset] & 0xC0) != 0x80;
    }
    return offset;
}

size_t foveal_xml_characters(const char *text, size_t size)
{
    size_t continuation_bytes = 0;
    size_t offset = 0;
    for (; offset + 8 <= size; offset += 8) {
        uint64_t eight;
        memcpy(&eight, text + offset, 8);
        eight = eight >> 7 & ~eight >> 6 & UINT64_C(0x0101010101010101);
        continuation_bytes += (size_t)(eight * UINT64_C(0x0101010101010101) >> 56);
    }
    for (; offset < size; offset++)
        continuation_bytes += ((unsigned char)text[offset] & 0xC0) == 0x80;
    return size - continuation_bytes;
}
