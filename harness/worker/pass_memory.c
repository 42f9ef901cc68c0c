/* Bytes of an instance, garbage that floated, and the pool of the prefaulted cells. */
#include "cell_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "variant.h"

/* Collections off, and the heap settled before and after: memory_measure() wants to see what an
 * instance does and nothing else. */
static int pass_measure(struct cell_run *run, struct memory_bytes *bytes)
{
    if (collector_settle(&run->collector) < 0 || collector_call(run->collector.disable) < 0)
        return -1;
    return memory_measure(&run->target, run->allocator, bytes);
}

/* Adds to the row's detail, behind what stands there. */
static void pass_note(struct cell_run *run, const char *note)
{
    const char *before = record_get(run->row, CELLS_detail);
    char detail[512];

    snprintf(detail, sizeof detail, "%s%s%s", before, *before == '\0' ? "" : "; ", note);
    record_set_text(run->row, CELLS_detail, detail);
}

/* Why a block of one of ours is larger than sys.getsizeof() has it. */
static const char *pass_beyond_sizeof(const struct variant_row *row)
{
    const char *vector = row->vector == NULL ? "none" : row->vector;
    const char *inherit = row->inherit == NULL ? "none" : row->inherit;

    if (strcmp(vector, "extradata") == 0)
        return "the extra data, which the type alone knows of";
    if (strcmp(vector, "itemsize") == 0 || strcmp(vector, "itematend") == 0)
        return "tp_alloc makes room for an item more";
    if (row->dict != NULL || strcmp(inherit, "python") == 0)
        return "values of attributes behind the struct";
    return "unexplained";
}

/* What of the layout this row's figures do not show by themselves. */
static void pass_note_layout(struct cell_run *run, const struct memory_bytes *bytes)
{
    double beyond = bytes->own_requested - bytes->sizeof_bytes;
    char note[128];

    if (GCTAX_FREE_THREADED && run->target.has_gc)
        pass_note(run, "free-threaded: no GC head before the object, no generations");
    if (run->target.variant == NULL || isnan(beyond) || beyond == 0)
        return;
    snprintf(note, sizeof note, "%+g bytes requested beyond sys.getsizeof(): %s", beyond,
             pass_beyond_sizeof(run->target.variant->row));
    pass_note(run, note);
}

int pass_memory(struct cell_run *run)
{
    struct record *row = run->row;
    struct memory_bytes bytes;
    double resident = NAN;

    if (run->target.is_null)
        return 0;
    if (pass_measure(run, &bytes) < 0)
        return -1;
    if (strcmp(run->cell->arena, "native") == 0 &&
        memory_resident(&run->target, bytes.own_requested + bytes.owned_requested, &resident) < 0)
        return -1;
    record_set_real(row, CELLS_sizeof_bytes, bytes.sizeof_bytes);
    record_set_real(row, CELLS_own_requested_bytes, bytes.own_requested);
    record_set_real(row, CELLS_owned_requested_bytes, bytes.owned_requested);
    record_set_real(row, CELLS_own_usable_bytes, bytes.own_usable);
    record_set_real(row, CELLS_owned_usable_bytes, bytes.owned_usable);
    record_set_real(row, CELLS_resident_bytes, resident);
    pass_note_layout(run, &bytes);
    if (run->target.destroyed != NULL)
        record_set_real(row, CELLS_floating_garbage_bytes,
                        (double)run->floating_most * bytes.own_usable);
    return collector_settle(&run->collector);
}

int pass_prefault(struct cell_run *run)
{
    enum { OTHERS = 8 << 20 };
    const struct cell *cell = run->cell;
    struct memory_bytes bytes;
    /* Without automatic collections garbage stays until the pass is over. */
    uint64_t made = cell->n == CELL_UNSET ? 0 : cell->n * (run->automatic ? 1 : cell->batches);
    uint64_t live = cell->live == CELL_UNSET ? 0 : cell->live;

    if (pass_measure(run, &bytes) < 0)
        return -1;
    double each = bytes.own_usable + bytes.owned_usable;
    double count = (double)(live * 2) + (run->workload->row->retains ? (double)made : 0);
    bool large = bytes.own_usable > 512 || bytes.owned_usable > 512;
    double pool = each * count * 1.1 + OTHERS;
    if (memory_prefault((size_t)pool, large ? (size_t)pool : 0) < 0) {
        PyErr_Format(PyExc_MemoryError, "no memory for %lu resident bytes of arenas",
                     (unsigned long)pool);
        return -1;
    }
    return 0;
}
