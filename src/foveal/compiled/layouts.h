/* Which fields the lines of a format have.
 *
 * A layout is one letter per field:
 *
 *   T  topic                        N  whole number from 0 to the largest offset
 *   D  document                     O  offset of a part, or X or -1: unmapped
 *   S  score or grade, finite       L  length of that part; any text if it is unmapped
 *   R  rank, any text               E  entry point, or -1: there is none
 *   G  tag of the run               -  anything
 *
 * and at the end P (further fields are passages, offset:length).
 * There is one T, and it comes before D. N, O, L and E fill the columns of whole numbers from left
 * to right, and only they may be missing: a line has at least `min_fields` fields. Layouts in use:
 *
 *   T-DRSG    6  TREC run                  T-DRSGOL  7  INEX run
 *   T-DS      4  TREC judgements           T-DNNEP   5  INEX judgements
 */
#ifndef FOVEAL_LAYOUTS_H
#define FOVEAL_LAYOUTS_H

#include <stddef.h>

#define FOVEAL_WHOLE_NUMBERS "NOLE"
#define FOVEAL_MAX_FIELDS 16
#define FOVEAL_MAX_INTEGERS 4

/* Kinds of the fields after those that a layout names. */
enum { FOVEAL_PASSAGE = 'P', FOVEAL_REFUSED = '!' };

typedef struct {
    char kinds[FOVEAL_MAX_FIELDS + 1];
    size_t fields, min_fields;
    char beyond;
} foveal_layout;

/* Read a layout from its letters and its smallest number of fields; 0 if they are invalid. */
int foveal_layout_of(const char *text, size_t length, size_t min_fields, foveal_layout *layout);

#endif
