/* What a row of workloads.def says of a workload. Knows nothing of Python: the driver plans with
 * the same table that the worker runs. */
#ifndef GCTAX_WORKLOAD_ROW_H
#define GCTAX_WORKLOAD_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "cell.h"

struct workload_row {
    const char *name;
    const char
        *sizes;     /* the cell parameters it takes besides batches and samples, comma-separated */
    uint64_t n;     /* default operations in a batch; 0: takes none */
    uint64_t live;  /* default live instances; 0: takes none */
    uint64_t cycle; /* default cycle length; 0: takes none */
    uint64_t cycle_percent;
    uint64_t depth, drop_percent, payload_bytes, threads; /* defaults; 0: takes none */
    uint64_t batches;                                     /* default number of timed batches */
    /* Where not 0: so many batches by default, but no more than make this many live instances in
     * all, and at least `batches`. */
    uint64_t batches_most, batches_live;
    uint64_t samples; /* default number of operations timed one by one; 0: none */
    bool retains;     /* automatic collections can happen: thresholds are swept */
    bool links;       /* needs a target whose instances can hold each other */
    bool two_links;   /* … and of these each at least two */
    bool whole; /* a batch is a program of its own: neither warmed up nor run on the null target */
    const char *gc_modes; /* default of gc_mode, a list; NULL: on */
    bool explicit_only; /* all its collections are explicit: gc_mode and thresholds are not swept */
    const char *doc;    /* one line */
};

/* The row's default of a COUNT parameter; 0: none. `live`: of the cell, or CELL_UNSET. */
static inline uint64_t workload_row_default(const struct workload_row *row, enum cell_field field,
                                            uint64_t live)
{
    switch (field) {
    case CELL_n:
        return row->n;
    case CELL_live:
        return row->live;
    case CELL_cycle:
        return row->cycle;
    case CELL_cycle_percent:
        return row->cycle_percent;
    case CELL_depth:
        return row->depth;
    case CELL_drop_percent:
        return row->drop_percent;
    case CELL_payload_bytes:
        return row->payload_bytes;
    case CELL_threads:
        return row->threads;
    case CELL_samples:
        return row->samples;
    case CELL_batches:
        if (row->batches_most == 0 || live == CELL_UNSET || live == 0 ||
            row->batches_live / live < row->batches)
            return row->batches;
        return row->batches_live / live < row->batches_most ? row->batches_live / live
                                                            : row->batches_most;
    default:
        return 0;
    }
}

#endif
