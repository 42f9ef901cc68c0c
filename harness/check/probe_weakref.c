#include "pycompat.h"

#include "probe_hook.h"
#include "probe_run.h"
#include "probe_weakref.h"

/* What is noted while an instance dies. */
struct notes {
    int64_t callbacks;
    bool dead_in_callback;
    bool member_died;
    bool before_members;
};

static bool is_dead(PyObject *reference)
{
    PyObject *object = PyObject_CallNoArgs(reference);
    bool dead = object == Py_None;
    PyErr_Clear();
    Py_XDECREF(object);
    return dead;
}

static PyObject *on_callback(PyObject *capsule, PyObject *reference)
{
    struct notes *notes = PyCapsule_GetPointer(capsule, NULL);
    if (notes == NULL)
        return NULL;
    notes->callbacks++;
    notes->dead_in_callback = is_dead(reference);
    notes->before_members = !notes->member_died;
    return Py_NewRef(Py_None);
}

static PyMethodDef callback_def = {"weakref_callback", on_callback, METH_O, NULL};

static void on_member_death(PyObject *Py_UNUSED(planted), void *context)
{
    ((struct notes *)context)->member_died = true;
}

/* A weak reference to `self` whose callback writes to `notes`, which must not move. */
static PyObject *make_reference(PyObject *self, struct notes *notes)
{
    PyObject *capsule = PyCapsule_New(notes, NULL, NULL);
    PyObject *callback = capsule != NULL ? PyCFunction_New(&callback_def, capsule) : NULL;
    PyObject *reference = callback != NULL ? PyWeakref_NewRef(self, callback) : NULL;
    Py_XDECREF(callback);
    Py_XDECREF(capsule);
    return reference;
}

/* An instance with a member in the first slot that takes one (*member: is there one?), which tells
 * of its death, and links back to the instance where `cyclic`. */
static PyObject *make_with_member(struct probe_run *run, bool cyclic, struct notes *notes,
                                  bool *member)
{
    PyObject *self = NULL;
    *member = false;
    for (int i = 0; i < run->slot_count && self == NULL; i++) {
        PyObject *planted = planted_new(&run->planted);
        if (planted == NULL)
            return NULL;
        self = probe_make_with(run, i, planted);
        if (self != NULL) {
            ((struct planted *)planted)->on_dealloc = on_member_death;
            ((struct planted *)planted)->context = notes;
            planted_link(planted, cyclic ? self : NULL);
            *member = true;
        }
        PyErr_Clear();
        Py_DECREF(planted);
    }
    return self != NULL || cyclic ? self : probe_make(run);
}

static int by_count(struct probe_run *run, struct probe_finalize_hook *hook,
                    struct probe_weakref *seen)
{
    static struct notes notes;
    bool member;
    PyObject *self = make_with_member(run, false, &notes, &member);
    if (self == NULL)
        return -1;
    PyObject *reference = make_reference(self, &notes);
    seen->supported = reference != NULL;
    if (reference == NULL) {
        PyErr_Clear();
        probe_drop(self);
        return 0;
    }
    PyObject *object = PyObject_CallNoArgs(reference);
    seen->leads_back = object == self;
    Py_XDECREF(object);
    if (hook != NULL)
        hook->reference = reference;
    probe_step(run, "destroying an instance with a weak reference to it");
    probe_drop(self);
    seen->survives = 0;
    const bool finalized = hook != NULL && hook->calls > 0; /* it may have come back */
    if (notes.callbacks == 0 && !finalized && !is_dead(reference)) {
        if (probe_collect_twice(run) < 0)
            return -1;
        seen->survives = notes.callbacks > 0;
    }
    if (seen->survives) {
        seen->collector_callbacks = notes.callbacks;
        seen->collector_dead_in_callback = notes.dead_in_callback;
        seen->collector_dead_after = is_dead(reference);
        Py_DECREF(reference);
        return 0;
    }
    seen->callbacks = notes.callbacks;
    if (notes.callbacks > 0)
        seen->dead_in_callback = notes.dead_in_callback;
    if (notes.callbacks > 0 && member)
        seen->before_members = notes.before_members;
    seen->dead_after = is_dead(reference);
    if (hook != NULL && hook->calls > 0)
        seen->alive_in_finalizer = hook->reference_alive;
    Py_DECREF(reference);
    return 0;
}

static int by_collector(struct probe_run *run, struct probe_finalize_hook *hook,
                        struct probe_weakref *seen)
{
    static struct notes notes;
    bool member;
    PyObject *self = make_with_member(run, true, &notes, &member);
    if (self == NULL)
        return 0; /* no slot closes a cycle */
    PyObject *reference = make_reference(self, &notes);
    if (reference == NULL)
        return -1;
    if (hook != NULL) {
        hook->reference = reference;
        hook->calls = 0;
    }
    probe_step(run, "collecting an instance with a weak reference to it");
    probe_drop(self);
    if (probe_collect(run) < 0)
        return -1;
    seen->collector_callbacks = notes.callbacks;
    if (notes.callbacks > 0)
        seen->collector_dead_in_callback = notes.dead_in_callback;
    seen->collector_dead_after = is_dead(reference);
    if (hook != NULL && hook->calls > 0)
        seen->collector_alive_in_finalizer = hook->reference_alive;
    return 0;
}

static int body(struct probe_run *run)
{
    struct probe_weakref *seen = run->seen;
    struct probe_finalize_hook *hook = probe_hook_finalize(run->type);
    if (by_count(run, hook, seen) < 0)
        return -1;
    return seen->supported ? by_collector(run, hook, seen) : 0;
}

static const struct probe_field fields[] = {PROBE_WEAKREF(PROBE_FIELD)};

const struct probe probe_weakref = {
    .name = "weakref",
    .doc = "Whether weak references to an instance end, and call back, when they must.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
