/* gctax_probe: the probes for Python. Each row of probes.def is a function
 *
 *   NAME(make, slots=(), destroyed=None, seconds=20.0, memory_bytes=2**30) -> dict
 *
 * make() returns a new instance. A slot is a tuple (name, put) or (name, put, make): put(instance,
 * value) or None, make(value) or None. destroyed() returns how many instances were destroyed. */
#include "pycompat.h"

#include "probe.h"

#include <stdlib.h>
#include <string.h>

#define PROBE(name) extern const struct probe probe_##name;
#include "probes.def"
#undef PROBE

/* ---- A subject made of Python callables -------------------------------------------------------
 */

/* What the callbacks of one slot call; borrowed from the caller's arguments. */
struct callables {
    PyObject *put;
    PyObject *make;
};

static int call_put(void *context, PyObject *self, PyObject *value)
{
    PyObject *put = ((struct callables *)context)->put;
    PyObject *done = PyObject_CallFunctionObjArgs(put, self, value, NULL);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

static PyObject *call_make_with(void *context, PyObject *value)
{
    return PyObject_CallFunctionObjArgs(((struct callables *)context)->make, value, NULL);
}

/* The context of a subject: its two callables. */
struct factory {
    PyObject *make;
    PyObject *destroyed;
};

static PyObject *call_make(void *context)
{
    return PyObject_CallNoArgs(((struct factory *)context)->make);
}

static int64_t call_destroyed(void *context)
{
    PyObject *number = PyObject_CallNoArgs(((struct factory *)context)->destroyed);
    int64_t count = number != NULL ? PyLong_AsLongLong(number) : -1;
    Py_XDECREF(number);
    return count;
}

/* Reads one slot from its tuple. 0, or -1 with an exception. */
static int parse_slot(PyObject *tuple, struct probe_slot *slot, struct callables *callables)
{
    PyObject *make = Py_None;
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "a slot is a tuple (name, put) or (name, put, make)");
        return -1;
    }
    if (!PyArg_ParseTuple(tuple, "sO|O;a slot is a tuple (name, put) or (name, put, make)",
                          &slot->name, &callables->put, &make))
        return -1;
    callables->make = make;
    slot->put = callables->put != Py_None ? call_put : NULL;
    slot->make = make != Py_None ? call_make_with : NULL;
    slot->context = callables;
    if (slot->put != NULL || slot->make != NULL)
        return 0;
    PyErr_Format(PyExc_ValueError, "slot %s has neither put nor make", slot->name);
    return -1;
}

/* ---- Results ----------------------------------------------------------------------------------
 */

/* dict[name] = value, whose reference is taken; NULL: an exception is set. */
static int add(PyObject *dict, const char *name, PyObject *value)
{
    int failed = value == NULL ? -1 : PyDict_SetItemString(dict, name, value);
    Py_XDECREF(value);
    return failed;
}

static PyObject *show_value(const struct probe_field *field, int64_t value)
{
    if (value == PROBE_UNSEEN)
        return Py_NewRef(Py_None);
    if (field->kind == PROBE_KIND_FLAG)
        return PyBool_FromLong(value != 0);
    return PyLong_FromLongLong(value);
}

static PyObject *show_fields(const struct probe_field *fields, int count, const int64_t *values)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict != NULL && i < count; i++) {
        if (add(dict, fields[i].name, show_value(&fields[i], values[i])) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *show_slots(const struct probe_result *result)
{
    const struct probe *probe = result->probe;
    const int64_t *values = result->seen + probe->field_count;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict != NULL && i < result->slot_count && probe->slot_field_count > 0; i++) {
        PyObject *slot = show_fields(probe->slot_fields, probe->slot_field_count, values);
        if (add(dict, result->slot_name[i], slot) < 0)
            Py_CLEAR(dict);
        values += probe->slot_field_count;
    }
    return dict;
}

static PyObject *show_text(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *show_number(bool known, int number)
{
    return known ? PyLong_FromLong(number) : Py_NewRef(Py_None);
}

static PyObject *show_result(const struct probe_result *result)
{
    const struct probe_child_end *end = &result->end;
    PyObject *dict = PyDict_New();
    if (dict != NULL &&
        (add(dict, "status", PyUnicode_FromString(probe_child_status_text(end->status))) < 0 ||
         add(dict, "signal", show_number(end->status == PROBE_CHILD_SIGNALLED, end->signal)) < 0 ||
         add(dict, "exit_code", show_number(end->status == PROBE_CHILD_EXITED, end->exit_code)) <
             0 ||
         add(dict, "step", show_text(result->step)) < 0 ||
         add(dict, "message", show_text(result->message)) < 0 ||
         add(dict, "output", show_text(end->output)) < 0 ||
         add(dict, "unraisable", PyLong_FromLongLong(result->unraisable)) < 0 ||
         add(dict, "swallowed", show_text(result->swallowed)) < 0 ||
         add(dict, "seen",
             show_fields(result->probe->fields, result->probe->field_count, result->seen)) < 0 ||
         add(dict, "slots", show_slots(result)) < 0))
        Py_CLEAR(dict);
    return dict;
}

/* ---- The functions ----------------------------------------------------------------------------
 */

static PyObject *run_subject(const struct probe *probe, struct probe_subject *subject,
                             PyObject *slots, const struct probe_limits *limits)
{
    size_t count = (size_t)PyTuple_GET_SIZE(slots);
    struct probe_slot *places = calloc(count + 1, sizeof *places);
    struct callables *callables = calloc(count + 1, sizeof *callables);
    PyObject *shown = NULL;
    if (places == NULL || callables == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        if (parse_slot(PyTuple_GET_ITEM(slots, (Py_ssize_t)i), &places[i], &callables[i]) < 0)
            goto done;
    }
    subject->slots = places;
    subject->slot_count = (int)count;
    struct probe_result result;
    if (probe_run(probe, subject, limits, &result) == 0) {
        shown = show_result(&result);
        probe_result_free(&result);
    }
done:
    free(callables);
    free(places);
    return shown;
}

static PyObject *call_probe(const struct probe *probe, PyObject *args, PyObject *kwargs)
{
    static char make_word[] = "make", slots_word[] = "slots", destroyed_word[] = "destroyed",
                seconds_word[] = "seconds", memory_word[] = "memory_bytes";
    static char *words[] = {make_word, slots_word, destroyed_word, seconds_word, memory_word, NULL};
    struct factory factory = {.destroyed = Py_None};
    struct probe_limits limits = PROBE_LIMITS_DEFAULT;
    long long memory_bytes = limits.memory_bytes;
    PyObject *slots = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOdL", words, &factory.make, &slots,
                                     &factory.destroyed, &limits.seconds, &memory_bytes))
        return NULL;
    limits.memory_bytes = memory_bytes;
    slots = slots != NULL ? PySequence_Tuple(slots) : PyTuple_New(0);
    if (slots == NULL)
        return NULL;
    struct probe_subject subject = {
        .make = call_make,
        .destroyed = factory.destroyed != Py_None ? call_destroyed : NULL,
        .context = &factory,
    };
    PyObject *shown = run_subject(probe, &subject, slots, &limits);
    Py_DECREF(slots);
    return shown;
}

#define PROBE(name)                                                                                \
    static PyObject *call_##name(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)    \
    {                                                                                              \
        return call_probe(&probe_##name, args, kwargs);                                            \
    }
#include "probes.def"
#undef PROBE

#define PROBE(name) +1
enum {
    PROBE_COUNT = 0
#include "probes.def"
};
#undef PROBE

static const struct probe *const probes[PROBE_COUNT] = {
#define PROBE(name) &probe_##name,
#include "probes.def"
#undef PROBE
};

static PyObject *document(const struct probe *probe)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict != NULL && i < probe->field_count; i++) {
        if (add(dict, probe->fields[i].name, PyUnicode_FromString(probe->fields[i].doc)) < 0)
            Py_CLEAR(dict);
    }
    for (int i = 0; dict != NULL && i < probe->slot_field_count; i++) {
        const struct probe_field *field = &probe->slot_fields[i];
        if (add(dict, field->name, PyUnicode_FromString(field->doc)) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *module_fields(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyObject *all = PyDict_New();
    for (size_t i = 0; all != NULL && i < PROBE_COUNT; i++) {
        if (add(all, probes[i]->name, document(probes[i])) < 0)
            Py_CLEAR(all);
    }
    return all;
}

static PyMethodDef methods[] = {
#define PROBE(name)                                                                                \
    {#name, (PyCFunction)(void (*)(void))call_##name, METH_VARARGS | METH_KEYWORDS,                \
     PyDoc_STR(#name "(make, slots=(), destroyed=None, seconds=20.0, memory_bytes=2**30)\n--\n\n"  \
                     "Observations of this probe, made in a forked child; fields() explains "      \
                     "them.")},
#include "probes.def"
#undef PROBE
    {"fields", module_fields, METH_NOARGS,
     PyDoc_STR("fields()\n--\n\nWhat each probe sees: {probe: {field: explanation}}.")},
    {NULL, NULL, 0, NULL},
};

/* Children are forked from the process: one interpreter, one thread at a time. */
static PyModuleDef_Slot slots[] = {
    GCTAX_MODULE_SLOTS{0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gctax_probe",
    .m_doc = "What a compiled type does when it meets the garbage collector.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit_gctax_probe(void);
PyMODINIT_FUNC PyInit_gctax_probe(void)
{
    return PyModuleDef_Init(&module_def);
}
