/* reimport: an operation creates and executes a copy of the module gctax_ext, as importing it in
 * another interpreter or after it left sys.modules does; makes a few instances of the copy's type
 * of the target's name, a cycle of two among them where it can hold; and drops all. Module, types
 * and instances refer to each other and wait for the collector. Creating is the alloc lap. The
 * dealloc lap is one full collection a batch, shared by its operations.
 *
 * Whether the module is freed is told by a weak reference to each copy: after a full collection all
 * of them have to be dead, else the row is an error that says how many were alive. sys.modules is
 * left alone: the copies are made from the spec of the module that is there, by the functions of
 * _imp that the import system itself calls. */
#include "cell.h"
#include "work.h"
#include "work_slots.h"

#include "variant.h"

#include <stdlib.h>

enum { REIMPORT_INSTANCES = 10 };

struct reimport {
    PyObject *spec, *create, *execute; /* owned */
    PyObject *copies;                  /* owned: list of weak references */
};

static const char *reimport_refuses(const struct target *target)
{
    return target->is_null || target->variant != NULL ? NULL : "the target is no type of gctax_ext";
}

/* Instances of `type`, made as the target's are, and dropped. */
static int reimport_use(struct work *work, PyTypeObject *type)
{
    struct target copy = *work->target;
    copy.type = type;
    for (int i = 0; i < REIMPORT_INSTANCES; i++) {
        PyObject *object = copy.make(&copy);
        if (object == NULL)
            return -1;
        work->made++;
        if (copy.link != NULL && copy.collects && i == 0) {
            work->dropped++;
            if (copy.link(&copy, object, object) < 0) {
                Py_DECREF(object);
                return -1;
            }
        } else
            work->freed++;
        Py_DECREF(object);
    }
    return 0;
}

static inline int reimport_one(struct work *work, uint64_t Py_UNUSED(index))
{
    const struct reimport *reimport = work->state;
    int failed = -1;
    if (work->target->is_null)
        return 0;
    PyObject *type = NULL, *done = NULL, *reference = NULL;
    PyObject *module = PyObject_CallFunctionObjArgs(reimport->create, reimport->spec, NULL);
    if (module == NULL ||
        (done = PyObject_CallFunctionObjArgs(reimport->execute, module, NULL)) == NULL ||
        (type = PyObject_GetAttrString(module, work->target->variant->name)) == NULL ||
        (reference = PyWeakref_NewRef(module, NULL)) == NULL)
        goto finally;
    if (PyList_Append(reimport->copies, reference) == 0)
        failed = reimport_use(work, (PyTypeObject *)type);
finally:
    Py_XDECREF(reference);
    Py_XDECREF(type);
    Py_XDECREF(done);
    Py_XDECREF(module);
    return failed;
}

static size_t reimport_slots(const struct cell *Py_UNUSED(cell))
{
    return 0;
}

static int reimport_start(struct work *work)
{
    work_slots_begin(work);
    struct reimport *reimport = calloc(1, sizeof *reimport);
    work->state = reimport;
    if (reimport == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *imp = PyImport_ImportModule("_imp");
    PyObject *module = PyImport_ImportModule("gctax_ext");
    if (imp != NULL && module != NULL) {
        reimport->spec = PyObject_GetAttrString(module, "__spec__");
        reimport->create = PyObject_GetAttrString(imp, "create_dynamic");
        reimport->execute = PyObject_GetAttrString(imp, "exec_dynamic");
        reimport->copies = PyList_New(0);
    }
    Py_XDECREF(imp);
    Py_XDECREF(module);
    return reimport->spec == NULL || reimport->create == NULL || reimport->execute == NULL ||
                   reimport->copies == NULL
               ? -1
               : 0;
}

static int reimport_batch(struct work *work, struct laps *laps)
{
    uint64_t n = work->cell->n;
    uint64_t begin = stopwatch_begin(work->stopwatch);
    int failed = work_each(work, n, reimport_one);
    uint64_t made = stopwatch_end(work->stopwatch) - begin;
    if (failed < 0)
        return -1;
    begin = stopwatch_begin(work->stopwatch);
    failed = work_collect(work, 2);
    uint64_t collected = stopwatch_end(work->stopwatch) - begin;
    if (failed < 0)
        return -1;
    laps->alloc.ticks += made;
    laps->alloc.ops += n;
    laps->dealloc.ticks += collected;
    laps->dealloc.ops += n;
    laps->op.ticks += made + collected;
    laps->op.ops += n;
    return 0;
}

static int reimport_verify(struct work *work)
{
    const struct reimport *reimport = work->state;
    Py_ssize_t alive = 0, count = PyList_Size(reimport->copies);
    if (collector_settle(work->collector) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *copy = PyObject_CallNoArgs(PyList_GetItem(reimport->copies, i));
        if (copy == NULL)
            return -1;
        alive += copy != Py_None;
        Py_DECREF(copy);
    }
    if (alive == 0)
        return work_slots_verify_alive(work, 0);
    PyErr_Format(PyExc_AssertionError,
                 "%zd of %zd copies of the module are alive after a full collection", alive, count);
    return -1;
}

static void reimport_stop(struct work *work)
{
    struct reimport *reimport = work->state;
    if (reimport == NULL)
        return;
    Py_CLEAR(reimport->spec);
    Py_CLEAR(reimport->create);
    Py_CLEAR(reimport->execute);
    Py_CLEAR(reimport->copies);
    free(reimport);
    work->state = NULL;
}

const struct workload workload_reimport = {
    .row = &workload_row_reimport,
    .refuses = reimport_refuses,
    .slots = reimport_slots,
    .start = reimport_start,
    .batch = reimport_batch,
    .verify = reimport_verify,
    .stop = reimport_stop,
};
