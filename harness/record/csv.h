/* CSV as RFC 4180 has it: comma, quotes where they are needed, quotes doubled inside quotes. */
#ifndef GCTAX_CSV_H
#define GCTAX_CSV_H

#include <stdbool.h>
#include <stddef.h>

/* Text that grows. Zero-initialised it is empty. An allocation that fails sets `failed`, and all
 * later additions do nothing, so that a caller checks once, at the end. */
struct csv {
    char *data; /* owned; NUL-terminated once something was added */
    size_t length, capacity;
    bool failed;
};

void csv_free(struct csv *csv);
/* Empties it and keeps the memory. */
void csv_clear(struct csv *csv);
/* Adds the text as it is. */
void csv_raw(struct csv *csv, const char *text, size_t length);
/* Adds a field; `first`: of its row, so without a comma before it. NULL is the empty field. */
void csv_field(struct csv *csv, bool first, const char *text);

/* Splits one row in place: the fields' quotes are removed, each is NUL-terminated and pointed to by
 * fields[]. A line end (LF or CRLF) closes the row. Returns the number of fields, or -1 where the
 * row has more than `max`, an open quote, or text after a closing quote. */
int csv_parse(char *row, char **fields, int max);

#endif
