#include "pycompat.h"

#include "probe_finalizer.h"
#include "probe_hook.h"
#include "probe_run.h"

/* An instance with a planted object in each slot, that nothing else holds. *planted is their
 * number. */
static PyObject *make_counted(struct probe_run *run, int64_t *planted)
{
    int64_t before = run->planted.alive;
    PyObject *self = probe_make_filled(run);
    *planted = run->planted.alive - before;
    return self;
}

/* An instance in a cycle with each planted object; NULL without an exception where no slot can. */
static PyObject *make_cyclic(struct probe_run *run, int64_t *planted)
{
    PyObject **all;
    PyObject *self = probe_make_full(run, &all);
    *planted = 0;
    if (self == NULL)
        return NULL;
    for (int i = 0; i < run->slot_count; i++) {
        if (all[i] != NULL) {
            planted_link(all[i], self);
            ++*planted;
        }
    }
    probe_release_planted(run, all);
    if (*planted == 0)
        Py_CLEAR(self);
    return self;
}

static int die_by_count(struct probe_run *run, struct probe_finalize_hook *hook,
                        struct probe_finalizer *seen)
{
    int64_t before = run->planted.alive, planted;
    probe_step(run, "destroying an instance that has a finalizer");
    PyObject *self = make_counted(run, &planted);
    if (self == NULL)
        return -1;
    hook->calls = 0;
    probe_drop(self);
    seen->survives = 0;
    if (hook->calls == 0) {
        /* Not called, or not destroyed? */
        if (probe_collect_twice(run) < 0)
            return -1;
        seen->survives = hook->calls > 0;
    }
    if (seen->survives)
        return 0;
    seen->calls = hook->calls;
    seen->revives_itself = hook->own_return;
    seen->planted_left = run->planted.alive - before;
    return 0;
}

static int die_by_collector(struct probe_run *run, struct probe_finalize_hook *hook,
                            struct probe_finalizer *seen)
{
    int64_t before = run->planted.alive, planted;
    probe_step(run, "collecting an instance that has a finalizer");
    PyObject *self = make_cyclic(run, &planted);
    if (self == NULL)
        return PyErr_Occurred() ? -1 : 0;
    hook->calls = 0;
    probe_drop(self);
    if (probe_collect_twice(run) < 0)
        return -1;
    seen->collector_calls = hook->calls;
    seen->collector_planted_left = run->planted.alive - before;
    return 0;
}

static int revive_by_count(struct probe_run *run, struct probe_finalize_hook *hook,
                           struct probe_finalizer *seen)
{
    if (seen->survives == 1)
        return 0;
    int64_t before = run->planted.alive, planted;
    PyObject *self = make_counted(run, &planted);
    if (self == NULL)
        return -1;
    probe_step(run, "destroying an instance that its finalizer revives");
    hook->calls = 0;
    hook->resurrect = true;
    probe_drop(self);
    seen->revived_calls = hook->calls;
    if (hook->returned == NULL)
        return 0;
    /* What the finalizer itself releases is its own affair. */
    seen->revived_whole =
        Py_REFCNT(hook->returned) >= 1 && run->planted.alive == hook->watched_then;
    probe_step(run, "destroying an instance that was revived");
    hook->calls = 0;
    Py_CLEAR(hook->returned);
    PyErr_Clear();
    seen->revived_again_calls = hook->calls;
    seen->revived_left = run->planted.alive - before;
    return 0;
}

static int revive_by_collector(struct probe_run *run, struct probe_finalize_hook *hook,
                               struct probe_finalizer *seen)
{
    int64_t before = run->planted.alive, planted;
    PyObject *self = make_cyclic(run, &planted);
    if (self == NULL)
        return PyErr_Occurred() ? -1 : 0;
    probe_step(run, "collecting an instance that its finalizer revives");
    hook->calls = 0;
    hook->resurrect = true;
    probe_drop(self);
    if (probe_collect(run) < 0)
        return -1;
    seen->collector_revived_calls = hook->calls;
    hook->resurrect = false;
    if (hook->returned == NULL)
        return 0;
    /* What finalizers release, its own and those of helpers in the same garbage, is their affair;
     * each planted object that is left refers to the instance. */
    seen->collector_revived_whole =
        !hook->cleared && Py_REFCNT(hook->returned) > run->planted.alive - before;
    probe_step(run, "collecting an instance that was revived");
    hook->calls = 0;
    Py_CLEAR(hook->returned);
    if (probe_collect_twice(run) < 0)
        return -1;
    seen->collector_revived_again_calls = hook->calls;
    seen->collector_revived_left = run->planted.alive - before;
    return 0;
}

static int call_beside_exceptions(struct probe_run *run, struct probe_finalizer *seen)
{
    PyObject *self = probe_make_filled(run);
    if (self == NULL)
        return -1;
    probe_step(run, "calling a finalizer");
    PyObject_CallFinalizer(self);
    seen->raised = probe_exception_drop();
    probe_drop(self);
    self = probe_make_filled(run);
    if (self == NULL)
        return -1;
    probe_step(run, "calling a finalizer while an exception is in flight");
    probe_exception_raise(run);
    PyObject_CallFinalizer(self);
    seen->exception_kept = probe_exception_kept(run);
    probe_drop(self);
    return 0;
}

static int body(struct probe_run *run)
{
    struct probe_finalizer *seen = run->seen;
    seen->have_gc = PyType_IS_GC(run->type) != 0;
    struct probe_finalize_hook *hook = probe_hook_finalize(run->type);
    seen->has_finalize = hook != NULL;
    if (hook == NULL)
        return 0;
    hook->watched = &run->planted.alive;
    return die_by_count(run, hook, seen) < 0 || die_by_collector(run, hook, seen) < 0 ||
                   revive_by_count(run, hook, seen) < 0 ||
                   revive_by_collector(run, hook, seen) < 0 || call_beside_exceptions(run, seen) < 0
               ? -1
               : 0;
}

static const struct probe_field fields[] = {PROBE_FINALIZER(PROBE_FIELD)};

const struct probe probe_finalizer = {
    .name = "finalizer",
    .doc = "How often a finalizer runs, whether what it brings back stays, and what it does to "
           "exceptions.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
