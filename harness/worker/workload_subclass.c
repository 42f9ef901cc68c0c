/* subclass: an operation derives a type from the target, as a class statement without a body does,
 * and drops it. A type is in cycles with itself (its mro, its descriptors), so each waits for the
 * collector; nothing else is made. Such types are no instances of the target: what is counted after
 * a collection are the target's subclasses, which have to be those that were there before. */
#include "cell.h"
#include "work.h"
#include "work_slots.h"

#include <stdlib.h>

struct subclass {
    PyObject *name, *bases, *body; /* owned */
    Py_ssize_t before;             /* subclasses of the target at start() */
};

static const char *subclass_refuses(const struct target *target)
{
    return target->is_null || PyType_HasFeature(target->type, Py_TPFLAGS_BASETYPE)
               ? NULL
               : "the type cannot be a base class";
}

static inline int subclass_one(struct work *work, uint64_t Py_UNUSED(index))
{
    const struct subclass *subclass = work->state;
    PyTypeObject *base = work->target->type;
    if (base == NULL)
        return 0; /* the null target: the loop alone */
    PyObject *type = PyObject_CallFunctionObjArgs((PyObject *)Py_TYPE(base), subclass->name,
                                                  subclass->bases, subclass->body, NULL);
    Py_XDECREF(type);
    return type == NULL ? -1 : 0;
}

/* How many subclasses the target has; -1 with an exception. */
static Py_ssize_t subclass_count(const struct work *work)
{
    PyObject *list = PyObject_CallMethod((PyObject *)work->target->type, "__subclasses__", NULL);
    Py_ssize_t count = list == NULL ? -1 : PyList_Size(list);
    Py_XDECREF(list);
    return count;
}

static size_t subclass_slots(const struct cell *Py_UNUSED(cell))
{
    return 0;
}

static int subclass_start(struct work *work)
{
    work_slots_begin(work);
    struct subclass *subclass = calloc(1, sizeof *subclass);
    work->state = subclass;
    if (subclass == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (work->target->type == NULL)
        return 0;
    subclass->name = PyUnicode_InternFromString("derived");
    subclass->bases = PyTuple_Pack(1, work->target->type);
    subclass->body = Py_BuildValue("{ss}", "__module__", "gctax");
    subclass->before = subclass_count(work);
    return subclass->name == NULL || subclass->bases == NULL || subclass->body == NULL ||
                   subclass->before < 0
               ? -1
               : 0;
}

static int subclass_batch(struct work *work, struct laps *laps)
{
    return work_batch(work, work->cell->n, subclass_one, laps);
}

static int subclass_sample(struct work *work, uint64_t count, struct histogram *histogram)
{
    return work_sample(work, count, subclass_one, histogram);
}

static int subclass_verify(struct work *work)
{
    const struct subclass *subclass = work->state;
    if (work->target->type == NULL)
        return 0;
    if (collector_settle(work->collector) < 0)
        return -1;
    Py_ssize_t now = subclass_count(work);
    if (now < 0 || now == subclass->before)
        return now < 0 ? -1 : 0;
    PyErr_Format(PyExc_AssertionError,
                 "the target has %zd subclasses after all were dropped, %zd before any was made",
                 now, subclass->before);
    return -1;
}

static void subclass_stop(struct work *work)
{
    struct subclass *subclass = work->state;
    if (subclass == NULL)
        return;
    Py_CLEAR(subclass->name);
    Py_CLEAR(subclass->bases);
    Py_CLEAR(subclass->body);
    free(subclass);
    work->state = NULL;
}

const struct workload workload_subclass = {
    .row = &workload_row_subclass,
    .refuses = subclass_refuses,
    .slots = subclass_slots,
    .start = subclass_start,
    .batch = subclass_batch,
    .sample = subclass_sample,
    .verify = subclass_verify,
    .stop = subclass_stop,
};
