#include "pycompat.h"

#include "probe_clear.h"
#include "probe_halfbuilt.h"
#include "probe_run.h"
#include "probe_traverse.h"

/* A new instance of tp_new alone, or NULL: it needs arguments. */
static PyObject *make_half(struct probe_run *run)
{
    PyObject *arguments = PyTuple_New(0);
    PyObject *self = NULL;
    if (arguments != NULL && run->type->tp_new != NULL)
        self = run->type->tp_new(run->type, arguments, NULL);
    Py_XDECREF(arguments);
    PyErr_Clear();
    return self;
}

static int body(struct probe_run *run)
{
    struct probe_halfbuilt *seen = run->seen;
    PyTypeObject *type = run->type;
    probe_step(run, "calling tp_new alone");
    PyObject *self = make_half(run);
    seen->made = self != NULL;
    if (self == NULL)
        return 0;
    seen->raised = 0;
    if (PyObject_IS_GC(self) && type->tp_traverse != NULL) {
        struct probe_visited visited = {0};
        probe_step(run, "traversing what tp_new alone made");
        int failed = probe_visit(self, &visited);
        seen->visits = (int64_t)visited.count;
        seen->nulls = visited.nulls;
        probe_visited_free(&visited);
        if (failed < 0)
            return -1;
        seen->raised |= probe_exception_drop();
    }
    probe_step(run, "collecting beside what tp_new alone made");
    if (probe_collect(run) < 0)
        return -1;
    seen->collected = 1;
    probe_step(run, "destroying what tp_new alone made");
    Py_DECREF(self);
    seen->destroyed = 1;
    seen->raised |= probe_exception_drop();
    if (type->tp_clear != NULL && (self = make_half(run)) != NULL) {
        probe_step(run, "clearing what tp_new alone made");
        probe_clear_finalize(self);
        type->tp_clear(self);
        seen->cleared = 1;
        probe_step(run, "destroying what tp_new alone made and tp_clear cleared");
        Py_DECREF(self);
        seen->raised |= probe_exception_drop();
    }
    if ((self = make_half(run)) == NULL)
        return 0;
    /* Last: a repr() that crashes is no matter of the collector's. */
    probe_step(run, "calling repr() on what tp_new alone made");
    Py_XDECREF(PyObject_Repr(self));
    PyErr_Clear();
    seen->shown = 1;
    probe_drop(self);
    return 0;
}

static const struct probe_field fields[] = {PROBE_HALFBUILT(PROBE_FIELD)};

const struct probe probe_halfbuilt = {
    .name = "halfbuilt",
    .doc = "Traversal, collection and destruction of an instance that only tp_new has seen.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
