#include "cell.h"

#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IS_TEXT_TEXT true
#define IS_TEXT_COUNT false

const struct cell_parameter cell_parameters[CELL_FIELDS] = {
#define CELL(field, type, default_, unit_, doc_)                                                   \
    {.name = #field, .unit = unit_, .doc = doc_, .is_text = IS_TEXT_##type},
#include "cell.def"
#undef CELL
};

static const size_t offsets[CELL_FIELDS] = {
#define CELL(field, type, default_, unit, doc) offsetof(struct cell, field),
#include "cell.def"
#undef CELL
};

static const struct cell defaults = {
#define CELL(field, type, default_, unit, doc) .field = default_,
#include "cell.def"
#undef CELL
};

static const enum metric_id columns[CELL_FIELDS] = {
#define CELL(field, type, default_, unit, doc) CELLS_##field,
#include "cell.def"
#undef CELL
};

static const char *text_of(const struct cell *cell, enum cell_field field)
{
    const char *text;
    memcpy(&text, (const char *)cell + offsets[field], sizeof text);
    return text;
}

static uint64_t count_of(const struct cell *cell, enum cell_field field)
{
    uint64_t count;
    memcpy(&count, (const char *)cell + offsets[field], sizeof count);
    return count;
}

void cell_init(struct cell *cell)
{
    *cell = defaults;
}

int cell_find(const char *name)
{
    for (int i = 0; i < CELL_FIELDS; i++)
        if (!strcmp(cell_parameters[i].name, name))
            return i;
    return -1;
}

int cell_set(struct cell *cell, enum cell_field field, const char *value)
{
    char *member = (char *)cell + offsets[field];
    if (cell_parameters[field].is_text) {
        memcpy(member, &value, sizeof value);
        return 0;
    }
    uint64_t count = CELL_UNSET;
    if (*value) {
        if (value[strspn(value, "0123456789")])
            return -1;
        errno = 0;
        count = strtoull(value, NULL, 10);
        if (errno || count == CELL_UNSET)
            return -1;
    }
    memcpy(member, &count, sizeof count);
    return 0;
}

const char *cell_get(const struct cell *cell, enum cell_field field, char buffer[CELL_COUNT_SIZE])
{
    if (cell_parameters[field].is_text)
        return text_of(cell, field);
    uint64_t count = count_of(cell, field);
    if (count == CELL_UNSET)
        return "";
    snprintf(buffer, CELL_COUNT_SIZE, "%" PRIu64, count);
    return buffer;
}

bool cell_is_default(const struct cell *cell, enum cell_field field)
{
    if (cell_parameters[field].is_text)
        return !strcmp(text_of(cell, field), text_of(&defaults, field));
    return count_of(cell, field) == count_of(&defaults, field);
}

int cell_parse(struct cell *cell, const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (strncmp(argument, "--", 2) || !equals)
        return 0;
    for (int i = 0; i < CELL_FIELDS; i++) {
        const char *name = cell_parameters[i].name;
        if (strlen(name) == (size_t)(equals - argument - 2) &&
            !strncmp(name, argument + 2, strlen(name)))
            return cell_set(cell, (enum cell_field)i, equals + 1) ? -1 : 1;
    }
    return 0;
}

char *cell_arguments(const struct cell *cell, const char *argv[CELL_FIELDS + 1], int *count)
{
    char number[CELL_COUNT_SIZE];
    size_t size = 1;
    for (int i = 0; i < CELL_FIELDS; i++)
        size += strlen(cell_parameters[i].name) +
                strlen(cell_get(cell, (enum cell_field)i, number)) + 4;
    char *block = malloc(size), *at = block;
    *count = 0;
    if (!block)
        return NULL;
    for (int i = 0; i < CELL_FIELDS; i++) {
        if (cell_is_default(cell, (enum cell_field)i))
            continue;
        argv[(*count)++] = at;
        at += sprintf(at, "--%s=%s", cell_parameters[i].name,
                      cell_get(cell, (enum cell_field)i, number)) +
              1;
    }
    argv[*count] = NULL;
    return block;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(cell_parameters[*(const int *)a].name, cell_parameters[*(const int *)b].name);
}

const char *cell_id(const struct cell *cell, char id[CELL_ID_SIZE])
{
    int order[CELL_FIELDS];
    char number[CELL_COUNT_SIZE];
    uint64_t hash = RECORD_HASH_START;
    for (int i = 0; i < CELL_FIELDS; i++)
        order[i] = i;
    qsort(order, CELL_FIELDS, sizeof *order, by_name);
    for (int i = 0; i < CELL_FIELDS; i++) {
        enum cell_field field = (enum cell_field)order[i];
        if (cell_is_default(cell, field))
            continue;
        hash = record_hash(hash, cell_parameters[field].name);
        hash = record_hash(hash, "=");
        hash = record_hash(hash, cell_get(cell, field, number));
        hash = record_hash(hash, "\n");
    }
    snprintf(id, CELL_ID_SIZE, "%016" PRIx64, hash);
    return id;
}

void cell_record(const struct cell *cell, struct record *record)
{
    char number[CELL_COUNT_SIZE];
    for (int i = 0; i < CELL_FIELDS; i++)
        record_set_text(record, columns[i], cell_get(cell, (enum cell_field)i, number));
}
