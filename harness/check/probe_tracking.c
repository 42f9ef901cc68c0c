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

struct construction {
    struct probe_run *run;
    int64_t steps, tracked;
};

static void collect_between(PyObject *self, void *context)
{
    struct construction *construction = context;
    construction->steps++;
    construction->tracked += tracked(self);
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
    if (self == NULL)
        return -1;
    seen->steps_seen = construction.steps;
    seen->steps_tracked = construction.tracked;
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
