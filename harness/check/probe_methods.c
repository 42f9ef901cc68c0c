#include "pycompat.h"

#include "probe_clear.h"
#include "probe_inner.h"
#include "probe_methods.h"
#include "probe_run.h"

#include <string.h>

enum { MOST_METHODS = 48 };

/* Of the process that calls them: one that blocks is no matter of tp_clear's. */
static const double seconds_of_calls = 0.25;

/* What a method's name must begin with: to write, send, close or remove is not tried. */
static const char *const harmless[] = {
    "get",    "has",     "is",       "copy",    "keys",     "values",    "items",  "count",
    "index",  "find",    "peek",     "iter",    "first",    "last",      "most_",  "group",
    "start",  "end",     "span",     "__len__", "__iter__", "__next__",  "__bool", "__contains__",
    "__get",  "__eq__",  "__hash__", "__str__", "__repr__", "__sizeof",  "__copy", "__deepcopy",
    "__dir_", "__index", "__int__",  "__float", "__reduce", "__reversed"};

/* The methods in the order of dir(), and where the process that calls them is. */
struct calls {
    struct probe_run *run;
    PyObject *names;
    Py_ssize_t next, end; /* in the process of its own: `next` to `end` - 1 */
    bool clear;
};

static bool is_harmless(const char *name)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        if (strncmp(name, harmless[i], strlen(harmless[i])) == 0)
            return true;
    }
    return false;
}

/* What the calls raise is their own affair. */
static int call_method(struct calls *calls, PyObject *name)
{
    PyObject *self = probe_make_filled(calls->run);
    if (self == NULL)
        return -1;
    if (calls->clear) {
        probe_clear_finalize(self);
        calls->run->type->tp_clear(self);
    }
    PyErr_Clear();
    PyObject *method = PyObject_GetAttr(self, name);
    if (method != NULL) {
        Py_XDECREF(PyObject_CallFunction(method, NULL));
        PyErr_Clear();
        Py_XDECREF(PyObject_CallFunction(method, "i", 0));
        PyErr_Clear();
        Py_XDECREF(PyObject_CallFunction(method, "O", Py_None));
        Py_DECREF(method);
    }
    PyErr_Clear();
    return 0;
}

/* In the process of its own: `called` is what both processes see of its way. Each instance is left
 * as it is: its end is the matter of another probe. */
static int call_methods(void *context)
{
    struct calls *calls = context;
    struct probe_methods *seen = calls->run->seen;
    for (; calls->next < calls->end; calls->next++) {
        seen->called = calls->next;
        if (call_method(calls, PyList_GET_ITEM(calls->names, calls->next)) < 0)
            return -1;
    }
    seen->called = calls->end;
    return 0;
}

/* Calls one method again, on an instance that was not cleared. */
static int confirm(struct calls *calls, Py_ssize_t at, int64_t signal, struct probe_methods *seen)
{
    struct calls one = *calls;
    int64_t end;
    one.next = at;
    one.end = at + 1;
    one.clear = false;
    if (probe_inner_run(call_methods, &one, seconds_of_calls, &end) < 0)
        return -1;
    if (end > 0) {
        seen->crashed_anyhow++;
        return 0;
    }
    if (seen->crashed++ == 0) {
        seen->signal = signal;
        probe_step(calls->run, "calling %s() on a cleared instance",
                   PyUnicode_AsUTF8(PyList_GET_ITEM(calls->names, at)));
    }
    return 0;
}

/* All in one process, and a new one behind each that ends it. */
static int try_methods(struct calls *calls, struct probe_methods *seen)
{
    while (calls->next < calls->end) {
        int64_t end;
        seen->called = calls->next;
        if (probe_inner_run(call_methods, calls, seconds_of_calls, &end) < 0)
            return -1;
        if (end == 0)
            return 0;
        Py_ssize_t at = (Py_ssize_t)seen->called;
        if (end > 0 && confirm(calls, at, end, seen) < 0)
            return -1;
        if (end == PROBE_INNER_TIMED_OUT)
            seen->hung++;
        calls->next = at + 1;
    }
    seen->called = calls->end;
    return 0;
}

/* The methods of the type that are called, a list; NULL with an exception. */
static PyObject *choose_methods(PyTypeObject *type)
{
    PyObject *all = PyObject_Dir((PyObject *)type);
    PyObject *chosen = all != NULL ? PyList_New(0) : NULL;
    for (Py_ssize_t i = 0; chosen != NULL && i < PyList_GET_SIZE(all); i++) {
        PyObject *name = PyList_GET_ITEM(all, i);
        const char *text = PyUnicode_AsUTF8(name);
        PyObject *method =
            text != NULL && is_harmless(text) ? PyObject_GetAttr((PyObject *)type, name) : NULL;
        PyErr_Clear();
        bool callable = method != NULL && PyCallable_Check(method) && !PyType_Check(method);
        Py_XDECREF(method);
        if (callable && PyList_GET_SIZE(chosen) < MOST_METHODS && PyList_Append(chosen, name) < 0)
            Py_CLEAR(chosen);
    }
    Py_XDECREF(all);
    return chosen;
}

static int body(struct probe_run *run)
{
    struct probe_methods *seen = run->seen;
    if (!PyType_IS_GC(run->type) || run->type->tp_clear == NULL)
        return 0;
    probe_step(run, "calling methods on cleared instances");
    struct calls calls = {.run = run, .names = choose_methods(run->type), .clear = true};
    if (calls.names == NULL)
        return -1;
    calls.end = PyList_GET_SIZE(calls.names);
    seen->called = seen->crashed = seen->crashed_anyhow = seen->hung = 0;
    int failed = try_methods(&calls, seen);
    Py_DECREF(calls.names);
    return failed;
}

static const struct probe_field fields[] = {PROBE_METHODS(PROBE_FIELD)};

const struct probe probe_methods = {
    .name = "methods",
    .doc = "Methods that only look at the instance, called after tp_clear.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
