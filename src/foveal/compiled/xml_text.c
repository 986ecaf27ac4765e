#include "xml_text.h"

#include <stdint.h>
#include <string.h>

static int begins(const char *at, const char *end, const char *with)
{
    size_t size = strlen(with);
    return (size_t)(end - at) >= size && !memcmp(at, with, size);
}

/* The place after the next occurrence of some characters, or the end. */
static const char *after(const char *at, const char *end, const char *sought)
{
    size_t size = strlen(sought);
    while (at < end && (at = memchr(at, *sought, (size_t)(end - at)))) {
        if (begins(at, end, sought))
            return at + size;
        at++;
    }
    return end;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at;
}

int foveal_xml_is_plain(const char *data, const char *end)
{
    const char *at = begins(data, end, "\xEF\xBB\xBF") ? data + 3 : data;
    for (;;) {
        at = skip_blanks(at, end);
        if (begins(at, end, "<?"))
            at = after(at + 2, end, "?>");
        else if (begins(at, end, "<!--"))
            at = after(at + 4, end, "-->");
        else
            return end - at > 1 && at[0] == '<' && at[1] != '!' && at[1] != '\0';
    }
}

int foveal_xml_is_utf8(const char *data, const char *end)
{
    const char *at = begins(data, end, "\xEF\xBB\xBF") ? data + 3 : data;
    if (!begins(at, end, "<?xml"))
        return 1;
    end = after(at, end, "?>");
    at = after(at, end, "encoding");
    if (at == end)
        return 1;
    at = skip_blanks(at, end);
    at = skip_blanks(at < end && *at == '=' ? at + 1 : at, end);
    return begins(at, end, "\"UTF-8\"") || begins(at, end, "'UTF-8'") ||
           begins(at, end, "\"utf-8\"") || begins(at, end, "'utf-8'");
}

size_t foveal_xml_place(const char *data, size_t size, unsigned long line, unsigned long column)
{
    size_t at = 0;
    while (line > 1 && at < size) {
        char byte = data[at++];
        line -= byte == '\n' || byte == '\r';
        at += byte == '\r' && at < size && data[at] == '\n';
    }
    while (column > 0 && at < size) {
        at++;
        column -= at == size || ((unsigned char)data[at] & 0xC0) != 0x80;
    }
    return at;
}

size_t foveal_xml_characters(const char *text, size_t size)
{
    size_t others = 0;
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
        uint64_t eight;
        memcpy(&eight, text + at, 8);
        eight = eight >> 7 & ~eight >> 6 & UINT64_C(0x0101010101010101);
        others += (size_t)(eight * UINT64_C(0x0101010101010101) >> 56);
    }
    for (; at < size; at++)
        others += ((unsigned char)text[at] & 0xC0) == 0x80;
    return size - others;
}
