/* What the worker asks of the gc module, through its functions: they exist on every release and
 * work while automatic collections are off, which PyGC_Collect() does not. */
#ifndef GCTAX_COLLECTOR_H
#define GCTAX_COLLECTOR_H

#include "pycompat.h"

#include <stdbool.h>
#include <stdint.h>

struct collector {
    PyObject *collect, *get_stats, *get_count, *get_objects; /* owned: functions of gc */
    PyObject *set_threshold, *get_threshold, *enable, *disable, *freeze, *unfreeze;
    PyObject *callbacks;     /* owned: the list gc.callbacks */
    PyObject *generation[3]; /* owned: the integers 0, 1, 2 */
    bool explicit_now;       /* true while a collection that we asked for runs */
};

/* Sums over gc.get_stats(). */
struct collector_stats {
    uint64_t collections[3], collected, uncollectable;
};

/* Empties *collector first. All of these return 0, or -1 with an exception. */
int collector_open(struct collector *collector);
/* gc.collect(generation); `found`, where not NULL: what it returned. */
int collector_collect(struct collector *collector, int generation, uint64_t *found);
/* Full collections until one finds nothing; at most 100. */
int collector_settle(struct collector *collector);
int collector_stats(struct collector *collector, struct collector_stats *stats);
int collector_thresholds(struct collector *collector, uint64_t thresholds[3]);
int collector_set_thresholds(struct collector *collector, const uint64_t thresholds[3]);
/* gc.get_count()[0]. Below 0 on free-threaded builds where threads have reported more instances
 * freed than made since the last collection. */
int collector_count0(struct collector *collector, int64_t *count);
/* Objects that the collector tracks. */
int collector_tracked(struct collector *collector, uint64_t *count);
/* Calls one of the functions above without arguments and drops what it returns. */
int collector_call(PyObject *function);
void collector_close(struct collector *collector);

#endif
