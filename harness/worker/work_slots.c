#include "work_slots.h"

#include "rng.h"

static uint64_t destroyed(const struct work *work)
{
    return GCTAX_COUNTED(*work->target->destroyed);
}

void work_slots_begin(struct work *work)
{
    work->destroyed_before = work->target->destroyed != NULL ? destroyed(work) : 0;
}

void work_slots_clear(struct work *work)
{
    for (size_t i = 0; i < work->slot_count; i++)
        Py_CLEAR(work->slots[i]);
}

static void swap(PyObject **a, PyObject **b)
{
    PyObject *object = *a;
    *a = *b;
    *b = object;
}

void work_slots_reverse(struct work *work, size_t count)
{
    for (size_t i = 0; i < count / 2; i++)
        swap(&work->slots[i], &work->slots[count - 1 - i]);
}

void work_slots_shuffle(struct work *work, size_t count)
{
    for (size_t left = count; left > 1; left--)
        swap(&work->slots[left - 1], &work->slots[rng_below(&work->rng, left)]);
}

int work_slots_verify(const struct work *work, size_t count)
{
    PyTypeObject *type = work->target->type;
    for (size_t i = 0; i < work->slot_count; i++) {
        PyObject *object = work->slots[i];
        if ((object != NULL) == (i < count) &&
            (object == NULL || type == NULL || Py_IS_TYPE(object, type)))
            continue;
        PyErr_Format(PyExc_AssertionError, "slot %zu of %zu holds %s where %zu should hold a %s", i,
                     work->slot_count, object == NULL ? "nothing" : Py_TYPE(object)->tp_name, count,
                     type == NULL ? "thing" : type->tp_name);
        return -1;
    }
    return 0;
}

int work_slots_finish(const struct work *work)
{
    if (!work->target->comes_back)
        return 0;
    /* What has just come back counts as nothing found, which would end the settling at once. */
    return collector_collect(work->collector, 2, NULL) < 0 ? -1 : collector_settle(work->collector);
}

int work_slots_verify_alive(const struct work *work, uint64_t expected)
{
    if (work->target->destroyed == NULL)
        return 0;
    if (work_slots_finish(work) < 0)
        return -1;
    uint64_t gone = destroyed(work) - work->destroyed_before;
    if (work->made - gone == expected)
        return 0;
    PyErr_Format(PyExc_AssertionError,
                 "%llu instances made and %llu destroyed: %lld are alive, %llu should be",
                 (unsigned long long)work->made, (unsigned long long)gone,
                 (long long)(work->made - gone), (unsigned long long)expected);
    return -1;
}
