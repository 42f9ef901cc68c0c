/* The tables of metrics.def, and one row of one of them on its way to a CSV line.
 *
 * Both programs use it: the worker fills rows and prints them, the driver adds its own columns and
 * writes them. Knows nothing of Python. */
#ifndef GCTAX_RECORD_H
#define GCTAX_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "csv.h"

/* Number of the protocol between driver and worker, printed in the first line. */
#define RECORD_PROTOCOL 1
/* Bytes that record_schema() writes, with the final NUL. */
#define RECORD_SCHEMA_SIZE 17

enum record_table {
    RECORD_CELLS,
    RECORD_PAUSES,
    RECORD_LATENCY,
    RECORD_ENVIRONMENT,
    RECORD_TABLES
};
enum record_owner { RECORD_DRIVER, RECORD_WORKER };
enum record_type { RECORD_TEXT, RECORD_COUNT, RECORD_REAL };

/* One id a column: CELLS_op_mean_ns, PAUSES_start_ns …, in the order of metrics.def, where the
 * columns of a table stand together. */
enum metric_id {
#define METRIC(table, owner, field, type, unit, doc) table##_##field,
#include "metrics.def"
#undef METRIC
    METRIC_COUNT
};

struct metric {
    enum record_table table;
    enum record_owner owner;
    enum record_type type;
    const char *field, *unit, *doc;
};

extern const struct metric record_metrics[METRIC_COUNT];

/* "cells", "pauses", "latency", "environment": the file without its suffix, and the first word of a
 * line on the worker's pipe. */
extern const char *const record_table_names[RECORD_TABLES];
/* The words of metrics.def for a type: "TEXT", "COUNT", "REAL", and for an owner. */
extern const char *const record_type_names[];
extern const char *const record_owner_names[];

/* The first column of a table, and how many it has. */
enum metric_id record_first(enum record_table table);
int record_columns(enum record_table table);

/* One row. A field that was never set is empty: "not measured here". An allocation that fails is
 * remembered in `failed` and told by record_line(). */
struct record {
    enum record_table table;
    bool failed;
    char *fields[METRIC_COUNT]; /* owned; by column of the table, from 0 */
};

void record_init(struct record *record, enum record_table table);
void record_free(struct record *record);
/* Empties all fields. */
void record_clear(struct record *record);

/* Sets a column; it has to be one of the record's table. Text of any column is taken as it comes,
 * but control characters become spaces and what is no UTF-8 becomes U+FFFD; NULL empties. */
void record_set_text(struct record *record, enum metric_id id, const char *text);
void record_set_count(struct record *record, enum metric_id id, uint64_t value);
/* NaN and infinities are the empty field. The shortest decimal that reads back as the same double,
 * "." as the decimal point whatever the locale. */
void record_set_real(struct record *record, enum metric_id id, double value);
/* The value as it will be printed; "" where it is empty. Borrowed until the next change. */
const char *record_get(const struct record *record, enum metric_id id);

/* Adds the row to `csv`, without a line end. 0, or -1 where memory ran out (here or in a set). */
int record_line(const struct record *record, struct csv *csv);
/* Adds the table's header likewise. */
int record_header(enum record_table table, struct csv *csv);
/* Is it a row of the table: as many columns, numbers where they have to be? Modifies `row`.
 * 0, or -1. */
int record_check(enum record_table table, char *row);
/* Reads a row (modified in place) of the record's table. 0, or -1 where it has not the number of
 * columns, a COUNT or REAL column holds no number, or memory ran out. */
int record_parse(struct record *record, char *row);

/* Writes `value` as record_set_real() does into text; "" for NaN and infinities. Returns text. */
#define RECORD_REAL_SIZE 32
char *record_format_real(char text[RECORD_REAL_SIZE], double value);

/* Hash of all tables and column names, in order: driver and worker of one schema understand each
 * other's rows. 16 hex digits. Returns `schema`. */
const char *record_schema(char schema[RECORD_SCHEMA_SIZE]);

/* FNV-1a, 64 bit (Fowler, Noll, Vo; draft-eastlake-fnv, section 2), continued from `hash`. */
#define RECORD_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t record_hash(uint64_t hash, const char *text);

#endif
