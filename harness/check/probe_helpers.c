/* What the bodies of probes do again and again: instances, slots, collections, counts, exceptions.
 */
#include "pycompat.h"

#include "probe_run.h"

#include <stdlib.h>

PyObject *probe_fact(const struct probe_run *run, const char *name)
{
    PyObject *facts = run->subject->facts;
    PyObject *value = facts != NULL ? PyDict_GetItemString(facts, name) : NULL;
    return value != Py_None ? value : NULL;
}

PyObject *probe_make(struct probe_run *run)
{
    PyObject *self = run->subject->make(run->subject->context);
    if (self == NULL)
        return NULL;
    run->made++;
    if (run->type != NULL && Py_TYPE(self) != run->type) {
        PyErr_Format(PyExc_TypeError, "the factory makes a %s, then a %s", run->type->tp_name,
                     Py_TYPE(self)->tp_name);
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

int probe_affordable(double each_s, int least, int most, double seconds)
{
    if (each_s * most <= seconds)
        return most;
    int affordable = (int)(seconds / each_s);
    return affordable < least ? least : affordable;
}

int probe_put(struct probe_run *run, int slot, PyObject *self, PyObject *value)
{
    const struct probe_slot *place = &run->slots[slot];
    if (place->put == NULL)
        return 0;
    if (place->put(place->context, self, value) == 0)
        return 1;
    if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError))
        return -1;
    PyErr_Clear();
    return 0;
}

PyObject *probe_make_with(struct probe_run *run, int slot, PyObject *value)
{
    const struct probe_slot *place = &run->slots[slot];
    if (place->make != NULL) {
        PyObject *self = place->make(place->context, value);
        run->made += self != NULL;
        return self;
    }
    PyObject *self = probe_make(run);
    if (self != NULL && place->put(place->context, self, value) < 0)
        Py_CLEAR(self);
    return self;
}

void probe_release_planted(struct probe_run *run, PyObject **planted)
{
    for (int i = 0; planted != NULL && i < run->slot_count; i++)
        Py_XDECREF(planted[i]);
    free(planted);
}

PyObject *probe_make_full(struct probe_run *run, PyObject ***planted)
{
    *planted = calloc((size_t)run->slot_count + 1, sizeof(PyObject *));
    if (*planted == NULL)
        return PyErr_NoMemory();
    PyObject *self = NULL;
    /* Where a slot is filled at construction alone, the instance is made with the first such. */
    for (int i = 0; i < run->slot_count && self == NULL; i++) {
        if (run->slots[i].put != NULL)
            continue;
        (*planted)[i] = planted_new(&run->planted);
        self = (*planted)[i] != NULL ? probe_make_with(run, i, (*planted)[i]) : NULL;
        if (self == NULL)
            goto failed;
    }
    if (self == NULL)
        self = probe_make(run);
    for (int i = 0; self != NULL && i < run->slot_count; i++) {
        if (run->slots[i].put == NULL)
            continue;
        (*planted)[i] = planted_new(&run->planted);
        int put = (*planted)[i] != NULL ? probe_put(run, i, self, (*planted)[i]) : -1;
        if (put < 0)
            Py_CLEAR(self);
        if (put == 0)
            Py_CLEAR((*planted)[i]);
    }
    if (self != NULL)
        return self;
failed:
    probe_release_planted(run, *planted);
    *planted = NULL;
    return NULL;
}

PyObject *probe_make_filled(struct probe_run *run)
{
    PyObject **planted;
    PyObject *self = probe_make_full(run, &planted);
    if (self != NULL)
        probe_release_planted(run, planted);
    return self;
}

void probe_drop(PyObject *self)
{
    if (self == NULL)
        return;
    PyObject *exception = gctax_take_exception();
    Py_DECREF(self);
    PyErr_Clear();
    gctax_restore_exception(exception);
}

bool probe_is_tracked(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    inquiry is_gc = type->tp_is_gc;
    type->tp_is_gc = NULL;
    bool tracked = PyObject_GC_IsTracked(self) != 0;
    type->tp_is_gc = is_gc;
    return tracked;
}

int64_t probe_collect(struct probe_run *run)
{
    PyObject *found = PyObject_CallNoArgs(run->collect);
    if (found == NULL)
        return -1;
    int64_t count = PyLong_AsLongLong(found);
    Py_DECREF(found);
    return count;
}

int probe_collect_twice(struct probe_run *run)
{
    int64_t found = probe_collect(run);
    return found < 0 || probe_collect(run) < 0 ? -1 : 0;
}

int probe_collect_all(struct probe_run *run)
{
    int64_t found = 1;
    for (int i = 0; i < 8 && found > 0; i++)
        found = probe_collect(run);
    return found < 0 ? -1 : 0;
}

int64_t probe_collections(struct probe_run *run)
{
    PyObject *stats = PyObject_CallMethod(run->gc, "get_stats", NULL);
    if (stats == NULL)
        return -1;
    int64_t sum = 0;
    for (Py_ssize_t i = 0; i < PyList_Size(stats); i++) {
        PyObject *count = PyMapping_GetItemString(PyList_GET_ITEM(stats, i), "collections");
        if (count == NULL) {
            Py_DECREF(stats);
            return -1;
        }
        sum += PyLong_AsLongLong(count);
        Py_DECREF(count);
    }
    Py_DECREF(stats);
    return sum;
}

int64_t probe_alive(struct probe_run *run)
{
    if (run->subject->destroyed != NULL) {
        int64_t destroyed = run->subject->destroyed(run->subject->context);
        return destroyed < 0 ? -1 : run->made - destroyed;
    }
    if (!PyType_IS_GC(run->type))
        return PROBE_UNSEEN;
    PyObject *objects = PyObject_CallMethod(run->gc, "get_objects", NULL);
    if (objects == NULL)
        return -1;
    int64_t alive = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects); i++)
        alive += Py_TYPE(PyList_GET_ITEM(objects, i)) == run->type;
    Py_DECREF(objects);
    return alive;
}

int64_t probe_refcount(PyObject *object)
{
    if (object == NULL || (GCTAX_TYPE_COUNTS_BY_THREAD && PyType_Check(object)))
        return PROBE_UNSEEN;
    Py_ssize_t before = Py_REFCNT(object);
    Py_INCREF(object);
    Py_ssize_t after = Py_REFCNT(object);
    Py_DECREF(object);
    return after == before ? PROBE_UNSEEN : (int64_t)before;
}

int64_t probe_difference(int64_t after, int64_t before)
{
    return after == PROBE_UNSEEN || before == PROBE_UNSEEN ? PROBE_UNSEEN : after - before;
}

void probe_exception_raise(struct probe_run *run)
{
    PyErr_SetObject((PyObject *)Py_TYPE(run->exception), run->exception);
}

int probe_exception_kept(struct probe_run *run)
{
    PyObject *exception = gctax_take_exception();
    int kept = exception == run->exception;
    Py_XDECREF(exception);
    return kept;
}

int probe_exception_drop(void)
{
    int raised = PyErr_Occurred() != NULL;
    PyErr_Clear();
    return raised;
}
