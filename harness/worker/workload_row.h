/* What a row of workloads.def says of a workload. Knows nothing of Python: the driver plans with
 * the same table that the worker runs. */
#ifndef GCTAX_WORKLOAD_ROW_H
#define GCTAX_WORKLOAD_ROW_H

#include <stdbool.h>
#include <stdint.h>

struct workload_row {
    const char *name;
    const char
        *sizes;     /* the cell parameters it takes besides batches and samples, comma-separated */
    uint64_t n;     /* default operations in a batch; 0: takes none */
    uint64_t live;  /* default live instances; 0: takes none */
    uint64_t cycle; /* default cycle length; 0: takes none */
    uint64_t cycle_percent;
    uint64_t batches;   /* default number of timed batches */
    uint64_t samples;   /* default number of operations timed one by one; 0: none */
    bool retains;       /* automatic collections can happen: thresholds are swept */
    bool links;         /* needs a target whose instances can hold each other */
    bool explicit_only; /* all its collections are explicit: gc_mode and thresholds are not swept */
    const char *doc;    /* one line */
};

#endif
