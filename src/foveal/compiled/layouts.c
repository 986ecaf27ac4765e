#include "layouts.h"

#include <string.h>

int foveal_layout_of(const char *text, size_t length, size_t min_fields, foveal_layout *layout)
{
    memset(layout, 0, sizeof *layout);
    layout->beyond = FOVEAL_REFUSED;
    if (length && text[length - 1] == FOVEAL_PASSAGE)
        layout->beyond = text[--length];
    if (length > FOVEAL_MAX_FIELDS || min_fields > length)
        return 0;
    memcpy(layout->kinds, text, length);
    layout->fields = length;
    layout->min_fields = min_fields;
    size_t topics = 0, documents = 0, integers = 0;
    for (size_t i = 0; i < length; i++) {
        int is_whole = text[i] && strchr(FOVEAL_WHOLE_NUMBERS, text[i]);
        int is_optional = i >= min_fields;
        if (!is_whole && (is_optional || !text[i] || !strchr("TDSRG-", text[i])))
            return 0;
        topics += text[i] == 'T';
        documents += text[i] == 'D';
        integers += (size_t)is_whole;
        if (documents > topics || (text[i] == 'L' && !memchr(text, 'O', i)))
            return 0;
    }
    return topics == 1 && documents <= 1 && integers <= FOVEAL_MAX_INTEGERS;
}
