#include "pycompat.h"

#include "probe_clock.h"
#include "probe_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SPARE_REFERENCES = 4000 };

/* What the child leaves: mapped by both, so that all it saw before a crash is there. */
struct probe_shared {
    char step[sizeof((struct probe_result *)NULL)->step];
    char message[sizeof((struct probe_result *)NULL)->message];
    int64_t unraisable;
    char swallowed[sizeof((struct probe_result *)NULL)->swallowed];
    int64_t has_dict;
    struct probe_type type;
    int64_t seen[];
};

/* ---- The child's side -------------------------------------------------------------------------
 */

void probe_step(struct probe_run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->shared->step, sizeof run->shared->step, format, arguments);
    va_end(arguments);
}

/* Writes "ValueError: text" of an exception (its reference is taken). */
static void describe_exception(PyObject *exception, char *text, size_t size)
{
    if (exception == NULL)
        return;
    PyObject *words = PyObject_Str(exception);
    const char *utf8 = words != NULL ? PyUnicode_AsUTF8(words) : NULL;
    snprintf(text, size, "%s: %s", Py_TYPE(exception)->tp_name, utf8 != NULL ? utf8 : "?");
    PyErr_Clear();
    Py_XDECREF(words);
    Py_DECREF(exception);
}

/* sys.unraisablehook of the child. */
static PyObject *on_unraisable(PyObject *capsule, PyObject *report)
{
    struct probe_shared *shared = PyCapsule_GetPointer(capsule, NULL);
    if (shared == NULL)
        return NULL;
    if (shared->unraisable++ == 0) {
        PyObject *exception = PyObject_GetAttrString(report, "exc_value");
        describe_exception(exception, shared->swallowed, sizeof shared->swallowed);
        PyErr_Clear();
    }
    return Py_NewRef(Py_None);
}

static PyMethodDef unraisable_def = {"unraisable", on_unraisable, METH_O, NULL};

static int catch_unraisable(struct probe_run *run)
{
    PyObject *capsule = PyCapsule_New(run->shared, NULL, NULL);
    PyObject *hook = capsule != NULL ? PyCFunction_New(&unraisable_def, capsule) : NULL;
    int failed = hook == NULL ? -1 : PySys_SetObject("unraisablehook", hook);
    Py_XDECREF(hook);
    Py_XDECREF(capsule);
    return failed;
}

int64_t probe_unraisable(struct probe_run *run)
{
    return run->shared->unraisable;
}

/* The collector runs when a probe says so, and the objects that were there before do not slow it
 * or disturb its counts: they are frozen, without a collection, which would copy every page that
 * the child shares with its parent. */
static int quieten_collector(struct probe_run *run)
{
    static const char *const calls[] = {"disable", "freeze"};
    run->gc = PyImport_ImportModule("gc");
    if (run->gc == NULL)
        return -1;
    const size_t count = run->subject->frozen ? 1 : sizeof calls / sizeof *calls;
    for (size_t i = 0; i < count; i++) {
        PyObject *done = PyObject_CallMethod(run->gc, calls[i], NULL);
        if (done == NULL)
            return -1;
        Py_DECREF(done);
    }
    run->collect = PyObject_GetAttrString(run->gc, "collect");
    return run->collect == NULL ? -1 : 0;
}

static int put_into_dict(void *Py_UNUSED(context), PyObject *self, PyObject *value)
{
    return PyObject_SetAttrString(self, "gctax_probe", value);
}

/* The tp_traverse of classes made in Python, NULL where none can be made. The parent asks first, so
 * that no child has to make a class. */
static traverseproc traverse_of_classes(void)
{
    static traverseproc known;
    if (known != NULL)
        return known;
    PyObject *class = PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}", "gctax_probe_class",
                                            (PyObject *)&PyBaseObject_Type);
    known = class != NULL ? ((PyTypeObject *)class)->tp_traverse : NULL;
    PyErr_Clear();
    Py_XDECREF(class);
    return known;
}

static void find_plain_base(const PyTypeObject *type, struct probe_type *shown)
{
    traverseproc of_classes = traverse_of_classes();
    if (of_classes == NULL || type->tp_traverse != of_classes)
        return;
    while (type->tp_traverse == of_classes && type->tp_base != NULL)
        type = type->tp_base;
    if (type != &PyBaseObject_Type && !(type->tp_flags & Py_TPFLAGS_HAVE_GC))
        snprintf(shown->plain_base, sizeof shown->plain_base, "%s", type->tp_name);
}

static void read_type(const PyTypeObject *type, struct probe_type *shown)
{
    shown->have_gc = (type->tp_flags & Py_TPFLAGS_HAVE_GC) != 0;
    shown->heap = (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
    shown->traverse = type->tp_traverse != NULL;
    shown->clear = type->tp_clear != NULL;
    shown->finalize = type->tp_finalize != NULL;
    shown->weak = type->tp_weaklistoffset != 0;
    shown->dict = type->tp_dictoffset != 0;
    shown->managed_dict = (type->tp_flags & GCTAX_MANAGED_DICT_FLAG) != 0;
    snprintf(shown->name, sizeof shown->name, "%s", type->tp_name);
    find_plain_base(type, shown);
    shown->known = true;
}

/* Makes two instances to learn their type and whether they have a dict that takes anything. */
static int examine(struct probe_run *run)
{
    probe_step(run, "making two instances");
    double began = probe_now_s();
    PyObject *first = probe_make(run);
    double made_first = probe_now_s();
    PyObject *second = first != NULL ? probe_make(run) : NULL;
    double made_second = probe_now_s();
    double first_s = made_first - began, second_s = made_second - made_first;
    run->make_s = first_s < second_s ? first_s : second_s;
    int failed = -1;
    if (second == NULL)
        goto done;
    if (first == second) {
        PyErr_SetString(PyExc_ValueError, "the factory returns one shared object");
        goto done;
    }
    run->type = (PyTypeObject *)Py_NewRef(Py_TYPE(first));
    read_type(run->type, &run->shared->type);
    /* So that a type whose instances release it too often lives to be counted. */
    for (int i = 0; i < SPARE_REFERENCES; i++) {
        Py_INCREF(run->type);
        Py_XINCREF(run->type->tp_base);
    }
    if (run->type->tp_dictoffset != 0 && put_into_dict(NULL, second, Py_None) == 0) {
        run->slots[run->slot_count++] = (struct probe_slot){"__dict__", put_into_dict, NULL, NULL};
        run->shared->has_dict = 1;
    }
    PyErr_Clear();
    failed = 0;
done:
    probe_step(run, "destroying two instances");
    probe_drop(first);
    probe_drop(second);
    return failed;
}

static int prepare(struct probe_run *run)
{
    size_t count = (size_t)run->subject->slot_count;
    run->slots = calloc(count + 1, sizeof *run->slots);
    if (run->slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (count > 0)
        memcpy(run->slots, run->subject->slots, count * sizeof *run->slots);
    run->slot_count = (int)count;
    if (run->subject->destroyed != NULL) {
        int64_t destroyed = run->subject->destroyed(run->subject->context);
        if (destroyed < 0)
            return -1;
        run->made = destroyed; /* so that made less destroyed is what is alive */
    }
    run->exception = PyObject_CallFunction(PyExc_LookupError, "s", "in flight while probed");
    if (run->exception == NULL || planted_kit_open(&run->planted) < 0)
        return -1;
    return catch_unraisable(run) < 0 || examine(run) < 0 || quieten_collector(run) < 0 ? -1 : 0;
}

struct child {
    const struct probe *probe;
    struct probe_run run;
};

static int child_body(void *context)
{
    struct child *child = context;
    struct probe_run *run = &child->run;
    int (*early)(struct probe_run *) = child->probe->early;
    if ((early == NULL || early(run) == 0) && prepare(run) == 0 && child->probe->body(run) == 0)
        return 0;
    describe_exception(gctax_take_exception(), run->shared->message, sizeof run->shared->message);
    return -1;
}

/* ---- The parent's side ------------------------------------------------------------------------
 */

static size_t seen_count(const struct probe *probe, int slots)
{
    return (size_t)probe->field_count + (size_t)probe->slot_field_count * (size_t)slots;
}

static int copy_result(struct probe_result *result, const struct probe *probe,
                       const struct probe_subject *subject, const struct probe_shared *shared)
{
    memcpy(result->step, shared->step, sizeof result->step);
    memcpy(result->message, shared->message, sizeof result->message);
    memcpy(result->swallowed, shared->swallowed, sizeof result->swallowed);
    result->unraisable = shared->unraisable;
    result->probe = probe;
    result->type = shared->type;
    result->slot_count = subject->slot_count + (shared->has_dict != 0);
    result->slot_name = calloc((size_t)result->slot_count + 1, sizeof *result->slot_name);
    if (result->slot_name == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < subject->slot_count; i++)
        result->slot_name[i] = subject->slots[i].name;
    if (shared->has_dict)
        result->slot_name[subject->slot_count] = "__dict__";
    result->seen = shared->seen;
    return 0;
}

int probe_run(const struct probe *probe, const struct probe_subject *subject,
              const struct probe_limits *limits, struct probe_result *result)
{
    memset(result, 0, sizeof *result);
    size_t count = seen_count(probe, subject->slot_count + 1);
    size_t bytes = sizeof(struct probe_shared) + count * sizeof(int64_t);
    struct probe_shared *shared =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    result->memory = shared;
    result->memory_bytes = bytes;
    for (size_t i = 0; i < count; i++)
        shared->seen[i] = PROBE_UNSEEN;
    (void)traverse_of_classes();
    struct child child = {
        .probe = probe,
        .run = {.subject = subject, .seen = shared->seen, .shared = shared},
    };
    if (probe_child_run(child_body, &child, limits, &result->end) < 0 ||
        copy_result(result, probe, subject, shared) < 0) {
        probe_result_free(result);
        return -1;
    }
    return 0;
}

void probe_result_free(struct probe_result *result)
{
    free(result->slot_name);
    result->slot_name = NULL;
    if (result->memory != NULL)
        munmap(result->memory, result->memory_bytes);
    result->memory = NULL;
}
