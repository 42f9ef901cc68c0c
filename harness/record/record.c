#include "record.h"

#include <assert.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct metric record_metrics[METRIC_COUNT] = {
#define METRIC(table_, owner_, field_, type_, unit_, doc_)                                         \
    [table_##_##field_] = {.table = RECORD_##table_,                                               \
                           .owner = RECORD_##owner_,                                               \
                           .type = RECORD_##type_,                                                 \
                           .field = #field_,                                                       \
                           .unit = unit_,                                                          \
                           .doc = doc_},
#include "metrics.def"
#undef METRIC
};

const char *const record_table_names[RECORD_TABLES] = {"cells", "pauses", "latency", "environment"};
const char *const record_type_names[] = {"TEXT", "COUNT", "REAL"};
const char *const record_owner_names[] = {"DRIVER", "WORKER"};

enum metric_id record_first(enum record_table table)
{
    int id = 0;
    while (id < METRIC_COUNT && record_metrics[id].table != table)
        id++;
    return (enum metric_id)id;
}

int record_columns(enum record_table table)
{
    int count = 0;
    for (int id = record_first(table); id < METRIC_COUNT && record_metrics[id].table == table; id++)
        count++;
    return count;
}

void record_init(struct record *record, enum record_table table)
{
    memset(record, 0, sizeof *record);
    record->table = table;
}

void record_clear(struct record *record)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        free(record->fields[i]);
        record->fields[i] = NULL;
    }
    record->failed = false;
}

void record_free(struct record *record)
{
    record_clear(record);
}

/* Length of the well-formed UTF-8 sequence at `at` (Unicode 15, table 3-7), 0 where there is none.
 */
static size_t utf8_length(const unsigned char *at)
{
    if (at[0] < 0x80)
        return 1;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    unsigned char low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 0;
    return length;
}

static char **field_of(struct record *record, enum metric_id id)
{
    assert(record_metrics[id].table == record->table);
    return &record->fields[id - record_first(record->table)];
}

void record_set_text(struct record *record, enum metric_id id, const char *text)
{
    char **field = field_of(record, id);
    free(*field);
    *field = NULL;
    if (!text || !*text)
        return;
    /* A byte grows to at most the three of U+FFFD. */
    char *out = *field = malloc(strlen(text) * 3 + 1);
    if (!out) {
        record->failed = true;
        return;
    }
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = utf8_length(at);
        if (!length) {
            memcpy(out, "\xef\xbf\xbd", 3);
            out += 3;
            at++;
        } else if (*at < 0x20 || *at == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0)) {
            *out++ = ' ';
            at += length;
        } else {
            memcpy(out, at, length);
            out += length;
            at += length;
        }
    }
    *out = '\0';
}

void record_set_count(struct record *record, enum metric_id id, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    record_set_text(record, id, text);
}

char *record_format_real(char text[RECORD_REAL_SIZE], double value)
{
    text[0] = '\0';
    if (!isfinite(value))
        return text;
    /* 17 significant digits always read back; %g drops trailing zeros. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, RECORD_REAL_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    const char *point = localeconv()->decimal_point;
    char *found = strcmp(point, ".") ? strstr(text, point) : NULL;
    if (found) {
        *found = '.';
        memmove(found + 1, found + strlen(point), strlen(found + strlen(point)) + 1);
    }
    return text;
}

void record_set_real(struct record *record, enum metric_id id, double value)
{
    char text[RECORD_REAL_SIZE];
    record_set_text(record, id, record_format_real(text, value));
}

const char *record_get(const struct record *record, enum metric_id id)
{
    assert(record_metrics[id].table == record->table);
    const char *field = record->fields[id - record_first(record->table)];
    return field ? field : "";
}

int record_line(const struct record *record, struct csv *csv)
{
    int columns = record_columns(record->table);
    for (int i = 0; i < columns; i++)
        csv_field(csv, i == 0, record->fields[i]);
    return record->failed || csv->failed ? -1 : 0;
}

int record_header(enum record_table table, struct csv *csv)
{
    int first = record_first(table), columns = record_columns(table);
    for (int i = 0; i < columns; i++)
        csv_field(csv, i == 0, record_metrics[first + i].field);
    return csv->failed ? -1 : 0;
}

/* Is it a number as the setters write them? */
static bool numeric(const char *text, enum record_type type)
{
    if (type == RECORD_COUNT)
        return text[strspn(text, "0123456789")] == '\0';
    return text[strspn(text, "+-.0123456789e")] == '\0';
}

/* Splits and checks a row. 0, or -1. */
static int split(enum record_table table, char *row, char *values[METRIC_COUNT])
{
    int first = record_first(table), columns = record_columns(table);
    if (csv_parse(row, values, METRIC_COUNT) != columns)
        return -1;
    for (int i = 0; i < columns; i++) {
        enum record_type type = record_metrics[first + i].type;
        if (type != RECORD_TEXT && !numeric(values[i], type))
            return -1;
    }
    return 0;
}

int record_check(enum record_table table, char *row)
{
    char *values[METRIC_COUNT];
    return split(table, row, values);
}

int record_parse(struct record *record, char *row)
{
    char *values[METRIC_COUNT];
    int first = record_first(record->table), columns = record_columns(record->table);
    record_clear(record);
    if (split(record->table, row, values))
        return -1;
    for (int i = 0; i < columns; i++)
        record_set_text(record, (enum metric_id)(first + i), values[i]);
    return record->failed ? -1 : 0;
}

uint64_t record_hash(uint64_t hash, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        hash = (hash ^ *at) * UINT64_C(0x100000001b3);
    return hash;
}

const char *record_schema(char schema[RECORD_SCHEMA_SIZE])
{
    uint64_t hash = RECORD_HASH_START;
    for (int id = 0; id < METRIC_COUNT; id++) {
        hash = record_hash(hash, record_table_names[record_metrics[id].table]);
        hash = record_hash(hash, ".");
        hash = record_hash(hash, record_metrics[id].field);
        hash = record_hash(hash, "\n");
    }
    snprintf(schema, RECORD_SCHEMA_SIZE, "%016" PRIx64, hash);
    return schema;
}
