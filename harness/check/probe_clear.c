#include "pycompat.h"

#include "probe_clear.h"
#include "probe_run.h"
#include "probe_traverse.h"

#include <stdlib.h>
#include <string.h>

/* References of ours to a planted object: it stays alive however often an instance drops it. */
enum { SPARE = 8 };

void probe_clear_finalize(PyObject *self)
{
    PyObject_CallFinalizer(self);
    PyErr_Clear();
}

/* ---- What is dropped --------------------------------------------------------------------------
 */

static int count_drops(struct probe_run *run, int slot, struct probe_clear_slot *seen)
{
    probe_step(run, "clearing twice an instance that holds something in slot %s",
               run->slots[slot].name);
    PyObject *planted = planted_new(&run->planted);
    if (planted == NULL)
        return -1;
    for (int i = 0; i < SPARE; i++)
        Py_INCREF(planted);
    int64_t before = probe_refcount(planted);
    PyObject *self = probe_make_with(run, slot, planted);
    if (self == NULL) {
        PyErr_Clear();
        return 0; /* refused */
    }
    probe_clear_finalize(self);
    int64_t held = probe_refcount(planted);
    seen->held = held - before;
    run->type->tp_clear(self);
    PyErr_Clear();
    int64_t first = probe_refcount(planted);
    seen->dropped_first = held - first;
    run->type->tp_clear(self);
    PyErr_Clear();
    int64_t second = probe_refcount(planted);
    seen->dropped_second = first - second;
    probe_step(run, "destroying a cleared instance that held something in slot %s",
               run->slots[slot].name);
    probe_drop(self);
    seen->dropped_at_death = second - probe_refcount(planted);
    /* Its spare references are left: their number is not known where something dropped too many. */
    return 0;
}

/* ---- What is seen of a dying member -----------------------------------------------------------
 */

struct watch {
    PyObject *parent; /* borrowed: alive while it is called */
    bool died;
    bool seen;
    struct watch *next;
};

/* All of them, until the child ends: whatever else keeps a member lets it look later. */
static struct watch *watches;

static void look_at_parent(PyObject *planted, void *context)
{
    struct watch *watch = context;
    watch->died = true;
    watch->seen = probe_visits_of(watch->parent, planted) > 0;
}

/* An instance with a planted object in the slot that nobody else holds, and its watch. NULL without
 * an exception where the slot refused, with one otherwise. */
static PyObject *make_watched(struct probe_run *run, int slot, struct watch **watched)
{
    PyObject *planted = planted_new(&run->planted);
    struct watch *watch = planted != NULL ? calloc(1, sizeof *watch) : NULL;
    if (watch == NULL) {
        if (planted != NULL)
            PyErr_NoMemory();
        Py_XDECREF(planted);
        return NULL;
    }
    watch->next = watches;
    watches = *watched = watch;
    watch->parent = probe_make_with(run, slot, planted);
    if (watch->parent != NULL) {
        ((struct planted *)planted)->on_dealloc = look_at_parent;
        ((struct planted *)planted)->context = watch;
    }
    PyErr_Clear();
    Py_DECREF(planted);
    return watch->parent;
}

static int watch_clear(struct probe_run *run, int slot, struct probe_clear_slot *seen)
{
    struct watch *watch;
    probe_step(run, "clearing an instance whose member looks at it from slot %s",
               run->slots[slot].name);
    PyObject *self = make_watched(run, slot, &watch);
    if (self == NULL)
        return PyErr_Occurred() ? -1 : 0;
    probe_clear_finalize(self);
    run->type->tp_clear(self);
    PyErr_Clear();
    if (!watch->died)
        return 0; /* the instance is kept, so that the member never looks at one that is dying */
    seen->seen_while_cleared = watch->seen;
    probe_drop(self);
    return 0;
}

static int watch_put(struct probe_run *run, int slot, struct probe_clear_slot *seen)
{
    struct watch *watch;
    probe_step(run, "replacing a member that looks at its instance from slot %s",
               run->slots[slot].name);
    PyObject *self = make_watched(run, slot, &watch);
    if (self == NULL)
        return PyErr_Occurred() ? -1 : 0;
    PyObject *other = planted_new(&run->planted);
    int put = other != NULL ? probe_put(run, slot, self, other) : -1;
    probe_drop(other);
    if (put > 0 && watch->died)
        seen->seen_while_replaced = watch->seen;
    if (watch->died)
        probe_drop(self); /* else it is kept: the member would look at one that is dying */
    return put < 0 ? -1 : 0;
}

/* ---- Use afterwards ---------------------------------------------------------------------------
 */

static void call(PyObject *self, const char *name, const char *format)
{
    PyObject *method = PyObject_GetAttrString(self, name);
    PyObject *done = method == NULL   ? NULL
                     : format != NULL ? PyObject_CallFunction(method, format, 0)
                                      : PyObject_CallNoArgs(method);
    PyErr_Clear();
    Py_XDECREF(done);
    Py_XDECREF(method);
}

/* Attributes that code of the type computes, and what reads from it; nothing that would change the
 * world outside of the instance. `state` names the instance in the steps. */
static void use(struct probe_run *run, PyObject *self, const char *state)
{
    static const struct {
        const char *method, *format;
    } readers[] = {{"get", "i"},          {"index", "i"},          {"count", "i"},
                   {"keys", NULL},        {"values", NULL},        {"items", NULL},
                   {"copy", NULL},        {"__copy__", NULL},      {"__len__", NULL},
                   {"__iter__", NULL},    {"__bool__", NULL},      {"__getitem__", "i"},
                   {"__contains__", "i"}, {"__sizeof__", NULL},    {"__reduce__", NULL},
                   {"__str__", NULL},     {"__getnewargs__", NULL}};
    for (PyTypeObject *type = run->type; type != NULL && type != &PyBaseObject_Type;
         type = type->tp_base) {
        for (PyGetSetDef *one = type->tp_getset; one != NULL && one->name != NULL; one++) {
            probe_step(run, "reading the attribute %s of %s", one->name, state);
            PyObject *value = PyObject_GetAttrString(self, one->name);
            PyErr_Clear();
            Py_XDECREF(value);
        }
    }
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        probe_step(run, "calling %s(%s) of %s", readers[i].method,
                   readers[i].format != NULL ? "0" : "", state);
        call(self, readers[i].method, readers[i].format);
    }
    probe_step(run, "calling repr(), str() and hash() on %s", state);
    Py_XDECREF(PyObject_Repr(self));
    PyErr_Clear();
    Py_XDECREF(PyObject_Str(self));
    PyErr_Clear();
    (void)PyObject_Hash(self);
    PyErr_Clear();
}

/* What crashes on an instance that nobody cleared is no matter of tp_clear. */
static int use_before(struct probe_run *run)
{
    PyObject *self = probe_make_filled(run);
    if (self == NULL)
        return -1;
    use(run, self, "an instance");
    probe_drop(self);
    return 0;
}

/* What the collector itself does with an instance that it has cleared. */
static int end_after(struct probe_run *run, struct probe_clear *seen)
{
    PyObject **planted;
    PyObject *self = probe_make_full(run, &planted);
    if (self == NULL)
        return -1;
    probe_step(run, "clearing an instance with all slots filled");
    probe_clear_finalize(self);
    int64_t swallowed = probe_unraisable(run);
    run->type->tp_clear(self);
    seen->raised = probe_exception_drop();
    seen->swallowed = probe_unraisable(run) - swallowed;
    probe_step(run, "traversing a cleared instance");
    seen->visits_dropped = 0;
    for (int i = 0; i < run->slot_count; i++) {
        if (planted[i] != NULL && Py_REFCNT(planted[i]) == 1)
            seen->visits_dropped += probe_visits_of(self, planted[i]);
    }
    probe_release_planted(run, planted);
    probe_step(run, "destroying a cleared instance");
    probe_drop(self);
    seen->destroyed = 1;
    seen->raised |= probe_exception_drop();
    return 0;
}

/* What other code can do with it: the steps are what probe_clear_used() knows them by. */
static int use_after(struct probe_run *run, struct probe_clear *seen)
{
    PyObject **planted;
    PyObject *self = probe_make_full(run, &planted);
    if (self == NULL)
        return -1;
    probe_clear_finalize(self);
    run->type->tp_clear(self);
    PyErr_Clear();
    use(run, self, "a cleared instance");
    seen->shown = 1;
    probe_step(run, "filling a cleared instance again");
    for (int i = 0; i < run->slot_count; i++) {
        int put = planted[i] != NULL ? probe_put(run, i, self, planted[i]) : 0;
        if (put < 0)
            return -1;
        if (put > 0)
            seen->refilled = 1;
    }
    probe_release_planted(run, planted);
    probe_step(run, "ending the use of a cleared instance");
    probe_drop(self);
    return 0;
}

bool probe_clear_used(const struct probe_result *result)
{
    static const char *const of_collector[] = {"traversing a cleared", "destroying a cleared"};
    for (size_t i = 0; i < sizeof of_collector / sizeof *of_collector; i++) {
        if (strncmp(result->step, of_collector[i], strlen(of_collector[i])) == 0)
            return false;
    }
    return result->probe == &probe_clear && strstr(result->step, "a cleared instance") != NULL;
}

static int body(struct probe_run *run)
{
    struct probe_clear *seen = run->seen;
    seen->has_clear = PyType_IS_GC(run->type) && run->type->tp_clear != NULL;
    for (int i = 0; i < run->slot_count; i++) {
        if (watch_put(run, i, &seen->slot[i]) < 0)
            return -1;
    }
    if (!seen->has_clear)
        return 0;
    for (int i = 0; i < run->slot_count; i++) {
        if (count_drops(run, i, &seen->slot[i]) < 0 || watch_clear(run, i, &seen->slot[i]) < 0)
            return -1;
    }
    if (end_after(run, seen) < 0 || use_before(run) < 0)
        return -1;
    return use_after(run, seen);
}

static const struct probe_field fields[] = {PROBE_CLEAR(PROBE_FIELD)};
static const struct probe_field slot_fields[] = {PROBE_CLEAR_SLOT(PROBE_FIELD)};

const struct probe probe_clear = {
    .name = "clear",
    .doc = "tp_clear: what it drops, once and again, in which order, and whether the instance can "
           "be used after it.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .slot_fields = slot_fields,
    .slot_field_count = sizeof slot_fields / sizeof *slot_fields,
    .body = body,
};
