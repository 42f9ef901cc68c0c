/* A cell: the parameters of cell.def. Knows nothing of Python. */
#ifndef GCTAX_CELL_H
#define GCTAX_CELL_H

#include <stdbool.h>
#include <stdint.h>

/* A COUNT that has no value: printed empty. */
#define CELL_UNSET UINT64_MAX
/* Bytes of a cell's id with the final NUL, and of a COUNT as text. */
#define CELL_ID_SIZE 17
#define CELL_COUNT_SIZE 24

struct record;

struct cell {
#define CELL_TYPE_TEXT const char * /* borrowed, never NULL */
#define CELL_TYPE_COUNT uint64_t
#define CELL(field, type, default_, unit, doc) CELL_TYPE_##type field;
#include "cell.def"
#undef CELL
#undef CELL_TYPE_TEXT
#undef CELL_TYPE_COUNT
};

/* One id a parameter: CELL_n … */
enum cell_field {
#define CELL(field, type, default_, unit, doc) CELL_##field,
#include "cell.def"
#undef CELL
    CELL_FIELDS
};

struct cell_parameter {
    const char *name, *unit, *doc;
    bool is_text;
};

extern const struct cell_parameter cell_parameters[CELL_FIELDS];

/* All parameters at their defaults. */
void cell_init(struct cell *cell);

/* The parameter of that name, or -1. */
int cell_find(const char *name);

/* Sets a parameter from text, which the cell borrows. An empty COUNT is CELL_UNSET.
 * 0, or -1 where a COUNT is no decimal number below 2^64 - 1. */
int cell_set(struct cell *cell, enum cell_field field, const char *value);
/* The parameter as text, "" where it is unset; COUNTs are written into `buffer`. */
const char *cell_get(const struct cell *cell, enum cell_field field, char buffer[CELL_COUNT_SIZE]);
bool cell_is_default(const struct cell *cell, enum cell_field field);

/* Takes a worker's argument `--field=value` (borrowed). 1: taken; 0: not a parameter of a cell;
 * -1: one, but its value is no number. */
int cell_parse(struct cell *cell, const char *argument);

/* The arguments of a cell, those that differ from the default: `--field=value` strings in one
 * allocated block that argv[] points into. argv has room for CELL_FIELDS + 1, ends in NULL.
 * Returns the block (free() it after the last use of argv), or NULL where memory ran out. */
char *cell_arguments(const struct cell *cell, const char *argv[CELL_FIELDS + 1], int *count);

/* 16 hex digits: record_hash() (FNV-1a) over "field=value\n" of each parameter that differs from
 * its default, sorted by name, so that neither a new row in cell.def nor the order of its rows
 * changes the id of a cell that does not use it. Returns `id`. */
const char *cell_id(const struct cell *cell, char id[CELL_ID_SIZE]);

/* Writes all parameters into the columns of a row of cells.csv. */
void cell_record(const struct cell *cell, struct record *record);

#endif
