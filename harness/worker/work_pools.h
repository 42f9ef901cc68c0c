/* A known start for work that frees what it has just made: pymalloc takes up to a tenth more
 * instructions for such a pair where the pool at hand has one free block left, which the allocation
 * takes and the free gives back, or none in use; and a block that lies otherwise in its cache lines
 * moved a pair of 80 bytes by 7 % of its time. How full the pool is, and which block is at hand,
 * are accidents of what the process did before. */
#ifndef GCTAX_WORK_POOLS_H
#define GCTAX_WORK_POOLS_H

#include "workload.h"

/* Instances that keep the allocator's pools half open; owned. */
struct work_pools {
    PyObject **kept;
    size_t count;
};

/* Makes more instances than fill two pools and destroys seven of each eight again, in the order in
 * which they were made: the pool that is used next then has many blocks free and some in use, and
 * the instance that is made next begins a cache line where its size lets one of the pool do so.
 * Does nothing for a user's target, whose cost and size are not known. Before work_slots_begin().
 * 0, or -1 with an exception. */
int work_pools_open(struct work_pools *pools, const struct work *work);
/* Destroys what is kept, and counts it as if it had been destroyed before the work began. */
void work_pools_close(struct work_pools *pools, struct work *work);

#endif
