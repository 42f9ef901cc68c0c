/* Rings of instances, for workloads that make and drop them whole: inline, since they stand in
 * timed loops. Both keep the counts of struct work. */
#ifndef GCTAX_WORK_RING_H
#define GCTAX_WORK_RING_H

#include "workload.h"

/* target->link(), or nothing for the null target. */
static inline int work_link(const struct target *target, PyObject *from, PyObject *to)
{
    return target->link == NULL ? 0 : target->link(target, from, to);
}

/* A ring of `cycle` (at least 1) new instances: its head (new reference), the only way to the
 * others, or NULL with an exception. */
static inline PyObject *work_ring_make(struct work *work, uint64_t cycle)
{
    const struct target *target = work->target;
    PyObject *head = target->make(target);
    PyObject *last = head;
    if (head == NULL)
        return NULL;
    work->made++;
    for (uint64_t i = 1; i < cycle; i++) {
        PyObject *object = target->make(target);
        if (object == NULL)
            goto failed;
        work->made++;
        int unlinked = work_link(target, last, object);
        Py_DECREF(object);
        if (unlinked < 0)
            goto failed;
        last = object;
    }
    if (work_link(target, last, head) == 0)
        return head;
failed:
    Py_DECREF(head);
    return NULL;
}

/* Before the reference to its head is dropped: counts the ring of `cycle` as garbage, or, of a
 * target without GC, breaks it by hand, so that the drop destroys it. 0, or -1 with an exception.
 */
static inline int work_ring_give_up(struct work *work, PyObject *head, uint64_t cycle)
{
    const struct target *target = work->target;
    if (target->collects) {
        work->dropped += cycle;
        return 0;
    }
    work->freed += cycle;
    return target->unlink == NULL ? 0 : target->unlink(target, head);
}

#endif
