#include "work_pools.h"

#include "work_slots.h"

#include <stdlib.h>

enum {
    WORK_POOL_BYTES = 16 << 10, /* pymalloc's from 3.10 on; 4 KiB on 3.9 */
    WORK_POOL_KEEP = 8          /* one of so many stays */
};

int work_pools_open(struct work_pools *pools, const struct work *work)
{
    const struct target *target = work->target;

    *pools = (struct work_pools){0};
    if (target->is_null || target->type == NULL || target->callee != NULL || target->code != NULL)
        return 0;
    /* At least two pools and a part of a third, because a block is no smaller than the struct. */
    size_t count = 5 * WORK_POOL_BYTES / 2 / (size_t)target->type->tp_basicsize + WORK_POOL_KEEP;
    pools->kept = calloc(count, sizeof *pools->kept);
    if (pools->kept == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; pools->count < count; pools->count++) {
        pools->kept[pools->count] = target->make(target);
        if (pools->kept[pools->count] == NULL)
            return -1;
    }
    for (size_t i = 0; i < count; i++)
        if (i % WORK_POOL_KEEP != 0)
            Py_CLEAR(pools->kept[i]);
    return work_slots_finish(work);
}

void work_pools_close(struct work_pools *pools, struct work *work)
{
    for (size_t i = 0; i < pools->count; i++)
        if (pools->kept[i] != NULL) {
            Py_CLEAR(pools->kept[i]);
            work->destroyed_before++;
        }
    free(pools->kept);
    *pools = (struct work_pools){0};
}
