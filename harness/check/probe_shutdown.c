#include "pycompat.h"

#include "probe_inner.h"
#include "probe_run.h"
#include "probe_shutdown.h"

static const double seconds_an_end = 10;

enum place { NOWHERE = 0, IN_SYS = 1, IN_MODULE = 2, IN_CYCLE = 4, IN_COPY = 8, ALL = 15 };

struct ending {
    struct probe_run *run;
    enum place places;
};

/* Puts a planted object that refers to it into each slot of an instance. 1: done; 0: no slot takes
 * one after construction; -1 with an exception. */
static int close_cycles(struct probe_run *run, PyObject *self)
{
    int closed = 0;
    for (int i = 0; i < run->slot_count; i++) {
        PyObject *planted = planted_new(&run->planted);
        int put = planted != NULL ? probe_put(run, i, self, planted) : -1;
        if (put > 0) {
            planted_link(planted, self);
            closed = 1;
        }
        Py_XDECREF(planted);
        if (put < 0)
            return -1;
    }
    return closed;
}

static int leave_cycle(struct probe_run *run)
{
    PyObject *self = probe_make_filled(run);
    int closed = self != NULL ? close_cycles(run, self) : -1;
    probe_drop(self);
    return closed;
}

static int keep_in_sys(struct probe_run *run)
{
    PyObject *self = probe_make_filled(run);
    int failed = self == NULL ? -1 : PySys_SetObject("gctax_kept", self);
    Py_XDECREF(self);
    return failed;
}

static int keep_in_main(struct probe_run *run)
{
    PyObject *main_module = PyImport_AddModule("__main__"); /* borrowed */
    PyObject *self = main_module != NULL ? probe_make_filled(run) : NULL;
    int failed = self == NULL ? -1 : PyObject_SetAttrString(main_module, "gctax_kept", self);
    Py_XDECREF(self);
    return failed;
}

/* A list that refers to itself and to the instance: the collector finds it with module and type,
 * and may clear these first. */
static int keep_in_list(PyObject *module, PyObject *self)
{
    PyObject *list = PyList_New(0);
    int failed = list == NULL || PyList_Append(list, self) < 0 || PyList_Append(list, list) < 0 ||
                 PyObject_SetAttrString(module, "gctax_kept", list) < 0;
    Py_XDECREF(list);
    return failed ? -1 : 0;
}

/* 1: done; 0: there is no copy to be had; -1 with an exception. */
static int keep_in_copy(struct probe_run *run)
{
    PyObject *make_copy = probe_fact(run, "copy"), *make = probe_fact(run, "copy_make");
    if (make_copy == NULL || make == NULL)
        return 0;
    PyObject *copy = PyObject_CallNoArgs(make_copy);
    if (copy == NULL || copy == Py_None) {
        Py_XDECREF(copy);
        PyErr_Clear(); /* a module that cannot be copied is no matter of this probe's */
        return 0;
    }
    PyObject *self = PyObject_CallFunctionObjArgs(make, copy, NULL);
    int failed = self == NULL ? -1 : keep_in_list(copy, self);
    if (failed == 0)
        failed = close_cycles(run, self);
    Py_XDECREF(self);
    Py_DECREF(copy);
    return failed < 0 ? -1 : 1;
}

/* As it is at a usual end: the probe has frozen what was there and switched the collector off. */
static int wake_collector(struct probe_run *run)
{
    PyObject *thawed = PyObject_CallMethod(run->gc, "unfreeze", NULL);
    PyObject *enabled = thawed != NULL ? PyObject_CallMethod(run->gc, "enable", NULL) : NULL;
    Py_XDECREF(thawed);
    Py_XDECREF(enabled);
    return enabled == NULL ? -1 : 0;
}

/* In the process of its own: nothing returns into the code of the interpreter that ended. */
static int end_interpreter(void *context)
{
    struct ending *ending = context;
    struct probe_run *run = ending->run;
    if (((ending->places & IN_SYS) && keep_in_sys(run) < 0) ||
        ((ending->places & IN_MODULE) && keep_in_main(run) < 0) ||
        ((ending->places & IN_CYCLE) && leave_cycle(run) < 0) ||
        ((ending->places & IN_COPY) && keep_in_copy(run) < 0) || wake_collector(run) < 0)
        return -1;
    gctax_leave_program();
    (void)Py_FinalizeEx(); /* buffers that could not be flushed are no matter of the type's */
    return 0;
}

static int observe(struct probe_run *run, enum place places, const char *words, int64_t *end)
{
    struct ending ending = {.run = run, .places = places};
    probe_step(run, "ending the interpreter %s", words);
    return probe_inner_run(end_interpreter, &ending, seconds_an_end, end);
}

static int body(struct probe_run *run)
{
    struct probe_shutdown *seen = run->seen;
    if (observe(run, ALL, "with instances alive", &seen->all) < 0)
        return -1;
    if (seen->all == 0)
        return 0;
    if (observe(run, NOWHERE, "without an instance", &seen->without) < 0 ||
        observe(run, IN_SYS, "with an instance that sys holds", &seen->in_sys) < 0 ||
        observe(run, IN_MODULE, "with an instance that __main__ holds", &seen->in_module) < 0)
        return -1;
    int closes = leave_cycle(run);
    if (closes < 0 ||
        (closes > 0 && observe(run, IN_CYCLE, "with an instance in a cycle", &seen->in_cycle) < 0))
        return -1;
    int copies = keep_in_copy(run);
    return copies <= 0 ? copies
                       : observe(run, IN_COPY, "with an instance that a copy of its module holds",
                                 &seen->in_copy);
}

static const struct probe_field fields[] = {PROBE_SHUTDOWN(PROBE_FIELD)};

const struct probe probe_shutdown = {
    .name = "shutdown",
    .doc = "How an interpreter ends while instances live.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
