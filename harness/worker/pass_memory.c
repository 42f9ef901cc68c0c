/* Bytes of an instance, garbage that floated, and the pool of the prefaulted cells. */
#include "cell_run.h"

#include <math.h>
#include <string.h>

/* Collections off, and the heap settled before and after: memory_measure() wants to see what an
 * instance does and nothing else. */
static int pass_measure(struct cell_run *run, struct memory_bytes *bytes)
{
    if (collector_settle(&run->collector) < 0 || collector_call(run->collector.disable) < 0)
        return -1;
    return memory_measure(&run->target, run->allocator, bytes);
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
