#include "pycompat.h"

#include "probe_run.h"
#include "probe_stored.h"

enum { COPIES = 3 };
enum use { BARE, USED, STORED };

/* Makes a copy, uses it and drops it. A weak reference to it; NULL without an exception where there
 * is no copy to be had, with one otherwise. */
static PyObject *drop_copy(struct probe_run *run, enum use use)
{
    PyObject *copy = PyObject_CallNoArgs(probe_fact(run, "copy"));
    if (copy == NULL || copy == Py_None) {
        Py_XDECREF(copy);
        return NULL;
    }
    PyObject *reference = PyWeakref_NewRef(copy, NULL);
    PyObject *self = NULL;
    if (reference != NULL && use != BARE) {
        self = PyObject_CallFunctionObjArgs(probe_fact(run, "copy_make"), copy, NULL);
        if (self == NULL ||
            (use == STORED && PyObject_SetAttrString(copy, "gctax_stored", self) < 0))
            Py_CLEAR(reference);
    }
    probe_drop(self);
    Py_DECREF(copy);
    return reference;
}

/* How many of COPIES copies are left: *left, or PROBE_UNSEEN where there are none to be had. */
static int count_left(struct probe_run *run, enum use use, int64_t *left)
{
    PyObject *references[COPIES] = {NULL};
    int made = 0;
    while (made < COPIES && (references[made] = drop_copy(run, use)) != NULL)
        made++;
    int failed = PyErr_Occurred() || probe_collect_twice(run) < 0 ? -1 : 0;
    int64_t alive = 0;
    for (int i = 0; i < made; i++) {
        PyObject *copy = failed ? NULL : PyObject_CallNoArgs(references[i]);
        alive += copy != NULL && copy != Py_None;
        Py_XDECREF(copy);
        Py_DECREF(references[i]);
    }
    if (!failed && made == COPIES)
        *left = alive;
    return failed || PyErr_Occurred() ? -1 : 0;
}

static int body(struct probe_run *run)
{
    struct probe_stored *seen = run->seen;
    if (probe_fact(run, "copy") == NULL || probe_fact(run, "copy_make") == NULL)
        return 0;
    probe_step(run, "dropping copies of the module");
    if (count_left(run, BARE, &seen->bare_left) < 0 || seen->bare_left == PROBE_UNSEEN)
        return PyErr_Occurred() ? -1 : 0;
    seen->copies = COPIES;
    probe_step(run, "dropping copies of the module in which an instance was made");
    if (count_left(run, USED, &seen->used_left) < 0)
        return -1;
    probe_step(run, "dropping copies of the module that hold an instance");
    return count_left(run, STORED, &seen->stored_left);
}

static const struct probe_field fields[] = {PROBE_STORED(PROBE_FIELD)};

const struct probe probe_stored = {
    .name = "stored",
    .doc = "Whether a copy of the module that holds an instance is collected.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
