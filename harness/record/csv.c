#include "csv.h"

#include <stdlib.h>
#include <string.h>

void csv_free(struct csv *csv)
{
    free(csv->data);
    *csv = (struct csv){0};
}

void csv_clear(struct csv *csv)
{
    csv->length = 0;
    csv->failed = false;
    if (csv->data)
        csv->data[0] = '\0';
}

void csv_raw(struct csv *csv, const char *text, size_t length)
{
    if (csv->failed)
        return;
    if (csv->length + length + 1 > csv->capacity) {
        size_t capacity = (csv->length + length + 1) * 2;
        char *data = realloc(csv->data, capacity);
        if (!data) {
            csv->failed = true;
            return;
        }
        csv->data = data;
        csv->capacity = capacity;
    }
    memcpy(csv->data + csv->length, text, length);
    csv->length += length;
    csv->data[csv->length] = '\0';
}

void csv_field(struct csv *csv, bool first, const char *text)
{
    if (!first)
        csv_raw(csv, ",", 1);
    if (!text)
        return;
    if (!text[strcspn(text, ",\"\r\n")]) {
        csv_raw(csv, text, strlen(text));
        return;
    }
    csv_raw(csv, "\"", 1);
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        csv_raw(csv, text, (size_t)(quote - text) + 1);
        csv_raw(csv, "\"", 1);
    }
    csv_raw(csv, text, strlen(text));
    csv_raw(csv, "\"", 1);
}

/* Is this the end of a row? */
static bool ends(const char *at)
{
    return !*at || *at == '\n' || (at[0] == '\r' && (at[1] == '\n' || !at[1]));
}

int csv_parse(char *row, char **fields, int max)
{
    char *at = row;
    for (int count = 0; count < max;) {
        char *out = fields[count++] = at;
        if (*at == '"') {
            for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
                *out++ = *at;
                at += *at == '"';
            }
            if (!*at++)
                return -1;
            if (*at != ',' && !ends(at))
                return -1;
        } else {
            while (*at != ',' && !ends(at))
                at++;
            out = at;
        }
        bool last = ends(at);
        *out = '\0';
        if (last)
            return count;
        at++;
    }
    return -1;
}
