#include "work_pools.h"

#include "work_slots.h"

#include <stdlib.h>

enum {
    WORK_POOL_BYTES = 16 << 10, /* pymalloc's from 3.10 on; 4 KiB on 3.9 */
    WORK_POOL_KEEP = 8,         /* one of so many stays */
    WORK_POOL_LINE = 64         /* bytes of a cache line */
};

/* The block at hand becomes one whose instance begins a cache line, where the pool has such: what
 * lies in the way is kept, in the places of what was destroyed. Blocks of 16 n bytes begin anew in
 * a line after four. */
static int begin_a_line(struct work_pools *pools, const struct target *target)
{
    for (size_t place = 1; place < WORK_POOL_KEEP; place++) {
        PyObject *object = target->make(target);
        if (object == NULL)
            return -1;
        if ((uintptr_t)object % WORK_POOL_LINE == 0) {
            Py_DECREF(object);
            break;
        }
        pools->kept[place] = object;
    }
    return 0;
}

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
    if (begin_a_line(pools, target) < 0)
        return -1;
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
