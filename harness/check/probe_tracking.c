#include "pycompat.h"

#include "probe_hook.h"
#include "probe_run.h"
#include "probe_tracking.h"

static int tracked(PyObject *self)
{
    return PyObject_GC_IsTracked(self) != 0;
}

static int at_birth(struct probe_run *run, struct probe_tracking *seen)
{
    PyObject *self = probe_make(run);
    if (self == NULL)
        return -1;
    seen->at_birth = tracked(self);
    probe_step(run, "collecting beside an instance with empty slots");
    int failed = probe_collect(run) < 0 ? -1 : 0;
    seen->at_birth_later = tracked(self);
    probe_drop(self);
    return failed;
}

static int with_value(struct probe_run *run, int slot, PyObject *value, int64_t *now,
                      int64_t *later)
{
    if (value == NULL)
        return -1;
    probe_step(run, "putting a %s into slot %s", Py_TYPE(value)->tp_name, run->slots[slot].name);
    PyObject *self = probe_make_with(run, slot, value);
    Py_DECREF(value);
    if (self == NULL) {
        PyErr_Clear();
        return 0; /* refused */
    }
    *now = tracked(self);
    int failed = later != NULL && probe_collect(run) < 0 ? -1 : 0;
    if (later != NULL)
        *later = tracked(self);
    probe_drop(self);
    return failed;
}

/* `self` holds `planted` in a slot: is it tracked? If not, a cycle of the two shows what that
 * means: of `before` planted objects and this one, what is left after two collections is added to
 * *left. Takes the references to both. 0, or -1 with an exception. */
static int look_at_holder(struct probe_run *run, PyObject *self, PyObject *planted, int64_t before,
                          int64_t *now, int64_t *left)
{
    *now = tracked(self);
    if (!*now)
        planted_link(planted, self);
    Py_DECREF(planted);
    probe_drop(self);
    if (*now)
        return 0;
    if (probe_collect_twice(run) < 0)
        return -1;
    *left = (*left != PROBE_UNSEEN ? *left : 0) + run->planted.alive - before;
    return 0;
}

static int put_beside_atoms(struct probe_run *run, int slot, struct probe_tracking_slot *seen)
{
    int64_t before = run->planted.alive;
    probe_step(run, "putting a str beside what slot %s holds", run->slots[slot].name);
    PyObject *planted = planted_new(&run->planted);
    PyObject *self = planted != NULL ? probe_make_with(run, slot, planted) : NULL;
    PyErr_Clear();
    for (int i = 0; self != NULL && i < run->slot_count; i++) {
        PyObject *atom = i != slot ? PyUnicode_FromString("gctax") : NULL;
        if (atom != NULL)
            (void)probe_put(run, i, self, atom);
        PyErr_Clear();
        Py_XDECREF(atom);
    }
    if (self != NULL)
        return look_at_holder(run, self, planted, before, &seen->beside_atom,
                              &seen->untracked_left);
    Py_XDECREF(planted);
    return 0;
}

static int put_after_collection(struct probe_run *run, int slot, struct probe_tracking_slot *seen)
{
    int64_t before = run->planted.alive;
    probe_step(run, "putting an object into slot %s after a collection", run->slots[slot].name);
    PyObject *self = probe_make(run);
    if (self == NULL || probe_collect(run) < 0) {
        probe_drop(self);
        return -1;
    }
    PyObject *planted = planted_new(&run->planted);
    int put = planted != NULL ? probe_put(run, slot, self, planted) : -1;
    if (put > 0)
        return look_at_holder(run, self, planted, before, &seen->after_collection,
                              &seen->untracked_left);
    Py_XDECREF(planted);
    probe_drop(self);
    return put;
}

struct construction {
    struct probe_run *run;
    int64_t steps, tracked, collected;
};

/* Nothing collects between tp_alloc and what a tp_new does next: an instance that it completes
 * before it calls or allocates anything is correct. */
static void collect_between(PyObject *self, enum probe_moment moment, void *context)
{
    struct construction *construction = context;
    if (moment != PROBE_CALLBACK) {
        construction->steps++;
        construction->tracked += probe_is_tracked(self);
    }
    if (moment == PROBE_ALLOCATED)
        return;
    construction->collected++;
    PyObject *exception = gctax_take_exception();
    if (probe_collect(construction->run) < 0)
        PyErr_Clear();
    gctax_restore_exception(exception);
}

static int while_constructed(struct probe_run *run, struct probe_tracking *seen)
{
    static struct construction construction; /* the wrapped slots keep it */
    construction.run = run;
    probe_step(run, "collecting in the middle of a construction");
    probe_hook_construction(run->type, collect_between, &construction);
    PyObject *self = probe_make(run);
    probe_hook_construction_over();
    if (self == NULL)
        return -1;
    seen->steps_seen = construction.steps;
    seen->steps_tracked = construction.tracked;
    seen->steps_collected = construction.collected;
    probe_drop(self);
    return 0;
}

static int body(struct probe_run *run)
{
    struct probe_tracking *seen = run->seen;
    seen->have_gc = PyType_IS_GC(run->type) != 0;
    if (at_birth(run, seen) < 0)
        return -1;
    for (int i = 0; i < run->slot_count; i++) {
        struct probe_tracking_slot *slot = &seen->slot[i];
        if (with_value(run, i, PyUnicode_FromString("gctax"), &slot->with_atom, NULL) < 0 ||
            with_value(run, i, planted_new(&run->planted), &slot->with_object,
                       &slot->with_object_later) < 0)
            return -1;
        if (seen->have_gc &&
            (put_beside_atoms(run, i, slot) < 0 || put_after_collection(run, i, slot) < 0))
            return -1;
    }
    return while_constructed(run, seen);
}

static const struct probe_field fields[] = {PROBE_TRACKING(PROBE_FIELD)};
static const struct probe_field slot_fields[] = {PROBE_TRACKING_SLOT(PROBE_FIELD)};

const struct probe probe_tracking = {
    .name = "tracking",
    .doc = "When the collector knows of an instance: at birth, by what it holds, while it is made.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .slot_fields = slot_fields,
    .slot_field_count = sizeof slot_fields / sizeof *slot_fields,
    .body = body,
};
