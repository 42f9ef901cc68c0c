#include "plan.h"

#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the cells of a plan ---- */

static const char *own(struct plan *plan, const char *text)
{
    for (size_t i = 0; i < plan->owned_count; i++)
        if (!strcmp(plan->owned[i], text))
            return plan->owned[i];
    char **owned = realloc(plan->owned, (plan->owned_count + 1) * sizeof *owned);
    if (!owned)
        return NULL;
    plan->owned = owned;
    if (!(owned[plan->owned_count] = strdup(text)))
        return NULL;
    return owned[plan->owned_count++];
}

int plan_add(struct plan *plan, const struct cell *cell)
{
    char number[CELL_COUNT_SIZE];
    if (plan->count == plan->capacity) {
        size_t capacity = plan->capacity ? plan->capacity * 2 : 64;
        struct plan_cell *cells = realloc(plan->cells, capacity * sizeof *cells);
        if (!cells)
            return -1;
        plan->cells = cells;
        plan->capacity = capacity;
    }
    struct plan_cell *added = &plan->cells[plan->count];
    added->cell = *cell;
    for (int f = 0; f < CELL_FIELDS; f++) {
        enum cell_field field = (enum cell_field)f;
        if (!cell_parameters[f].is_text)
            continue;
        const char *text = own(plan, cell_get(cell, field, number));
        if (!text)
            return -1;
        cell_set(&added->cell, field, text);
    }
    cell_id(&added->cell, added->id);
    plan->count++;
    return 0;
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->owned_count; i++)
        free(plan->owned[i]);
    free(plan->owned);
    free(plan->cells);
    *plan = (struct plan){0};
}

static const struct plan_cell *sorting;

static int by_id(const void *a, const void *b)
{
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int order = strcmp(sorting[i].id, sorting[j].id);
    return order ? order : i < j ? -1 : 1;
}

int plan_drop_doubles(struct plan *plan)
{
    size_t *order = malloc((plan->count + 1) * sizeof *order), kept = 0;
    bool *twice = calloc(plan->count + 1, sizeof *twice);
    if (order && twice) {
        for (size_t i = 0; i < plan->count; i++)
            order[i] = i;
        sorting = plan->cells;
        qsort(order, plan->count, sizeof *order, by_id);
        for (size_t i = 1; i < plan->count; i++)
            twice[order[i]] = !strcmp(plan->cells[order[i]].id, plan->cells[order[i - 1]].id);
        for (size_t i = 0; i < plan->count; i++)
            if (!twice[i])
                plan->cells[kept++] = plan->cells[i];
        plan->count = kept;
    }
    int result = order && twice ? 0 : -1;
    free(order);
    free(twice);
    return result;
}

/* Why instances of the target cannot hold each other, as far as the tables tell; else NULL. */
const char *plan_unlinkable(const struct workload_row *workload, const char *target)
{
    const struct tables_variant *variant = tables_find_variant(target);
    if (!workload->links)
        return NULL;
    if (variant &&
        (variant->fields == 0 ||
         (variant->row->content && !strcmp(variant->row->content, "bytes"))) &&
        !variant->row->dict)
        return "has no field to hold another instance";
    if (variant && variant->row->collector && !strcmp(variant->row->collector, "traverse"))
        return "holds what its constructor is given, nothing younger";
    if (variant && workload->two_links && variant->fields < 2)
        return "has one field, and two others are to be held";
    return !strcmp(target, "null") || !strcmp(target, "object") ? "cannot hold another instance"
                                                                : NULL;
}

/* ---- order ---- */

/* splitmix64 (Steele, Lea, Flood 2014; public domain reference by Vigna). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Writes the id of the cell that drives the variant's twin alike, "" where there is none. */
static void twin_id(const struct cell *cell, char id[CELL_ID_SIZE])
{
    const struct tables_variant *variant = tables_find_variant(cell->target);
    char twin[TABLES_NAME_SIZE];
    *id = '\0';
    if (!variant || !variant->row->twin)
        return;
    variant_row_pattern(variant->row->twin, variant->fields, twin, sizeof twin);
    struct cell other = *cell;
    other.target = twin;
    cell_id(&other, id);
}

/* Brings each cell's twins behind it, and theirs behind them: what is subtracted from each other is
 * measured within seconds, before the machine's speed has drifted. */
static void join_twins(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        twin_id(&plan->cells[i].cell, plan->cells[i].twin);
    for (size_t i = 0, end = 1; i < plan->count; i++) {
        const char *id = plan->cells[i].id, *twin = plan->cells[i].twin;
        end = end > i ? end : i + 1;
        for (size_t j = end; j < plan->count; j++) {
            if (strcmp(plan->cells[j].id, twin) && strcmp(plan->cells[j].twin, id))
                continue;
            struct plan_cell moved = plan->cells[j];
            memmove(&plan->cells[end + 1], &plan->cells[end], (j - end) * sizeof moved);
            plan->cells[end++] = moved;
        }
    }
}

void plan_shuffle(struct plan *plan, uint64_t seed)
{
    for (size_t i = plan->count; i > 1; i--) {
        /* The modulo's bias, below count / 2^64, does not matter for an order. */
        size_t j = (size_t)(next_random(&seed) % i);
        struct plan_cell swapped = plan->cells[i - 1];
        plan->cells[i - 1] = plan->cells[j];
        plan->cells[j] = swapped;
    }
    join_twins(plan);
}

void plan_shard(struct plan *plan, unsigned index, unsigned count)
{
    size_t kept = 0;
    for (size_t i = index; i < plan->count; i += count)
        plan->cells[kept++] = plan->cells[i];
    plan->count = kept;
}

size_t plan_jobs(const struct plan *plan, size_t workers, unsigned repeats)
{
    return plan->count * workers * repeats;
}

struct plan_job plan_job(const struct plan *plan, size_t workers, size_t index)
{
    size_t repeat = index / (plan->count * workers), rest = index % (plan->count * workers);
    size_t cell = rest / workers;
    return (struct plan_job){.cell = &plan->cells[cell],
                             .worker = (rest + repeat + cell) % workers,
                             .repeat = (unsigned)repeat};
}

uint64_t plan_safepoint_cap(uint64_t threshold0)
{
    uint64_t cap =
        (threshold0 == CELL_UNSET ? PLAN_DEFAULT_THRESHOLD0 : threshold0) / PLAN_SAFEPOINT_SHARE;
    return cap ? cap : 1;
}

uint64_t plan_worker_seed(unsigned repeat)
{
    return (uint64_t)repeat + 1;
}

const char *plan_skip(const struct cell *cell, int release, bool free_threaded,
                      char reason[PLAN_REASON_SIZE])
{
    const struct tables_variant *variant = tables_find_variant(cell->target);
    const struct workload_row *workload = tables_find_workload(cell->workload);
    const char *why = workload ? plan_unlinkable(workload, cell->target) : NULL;
    if (variant && variant->row->since > release)
        snprintf(reason, PLAN_REASON_SIZE, "needs 3.%d", variant->row->since);
    else if (why)
        snprintf(reason, PLAN_REASON_SIZE, "%s %s", cell->target, why);
    else if (free_threaded && !strcmp(cell->arena, "prefault"))
        snprintf(reason, PLAN_REASON_SIZE,
                 "arena prefault: a free-threaded build has no pymalloc arenas");
    else if (free_threaded &&
             (!strncmp(cell->allocator, "pymalloc", 8) || !strncmp(cell->allocator, "malloc", 6)))
        snprintf(reason, PLAN_REASON_SIZE, "allocator %s: a free-threaded build needs mimalloc",
                 cell->allocator);
    else
        return NULL;
    return reason;
}
