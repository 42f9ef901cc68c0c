/* gctax_probe: the probes for Python, and the check that judges what they see (check_module.c).
 * Each row of probes.def is a function
 *
 *   NAME(make, slots=(), destroyed=None, seconds=20.0, memory_bytes=2**30, facts=None) -> dict
 *
 * subject.h says what its arguments are. */
#include "pycompat.h"

#include "check_module.h"
#include "subject.h"

#include <string.h>

#define PROBE(name) extern const struct probe probe_##name;
#include "probes.def"
#undef PROBE

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

static PyObject *call_probe(const struct probe *probe, PyObject *args, PyObject *kwargs)
{
    static char make_word[] = "make", slots_word[] = "slots", destroyed_word[] = "destroyed",
                seconds_word[] = "seconds", memory_word[] = "memory_bytes", facts_word[] = "facts";
    static char *words[] = {make_word,  slots_word, destroyed_word, seconds_word, memory_word,
                            facts_word, NULL};
    struct probe_limits limits = PROBE_LIMITS_DEFAULT;
    long long memory_bytes = limits.memory_bytes;
    PyObject *make, *slots = NULL, *destroyed = NULL, *facts = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOdLO", words, &make, &slots, &destroyed,
                                     &limits.seconds, &memory_bytes, &facts))
        return NULL;
    limits.memory_bytes = memory_bytes;
    struct subject subject;
    if (subject_open(&subject, make, slots, destroyed, facts) < 0)
        return NULL;
    struct probe_result result;
    PyObject *shown = NULL;
    if (probe_run(probe, &subject.probed, &limits, &result) == 0) {
        shown = show_result(&result);
        probe_result_free(&result);
    }
    subject_free(&subject);
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
     PyDoc_STR(#name "(make, slots=(), destroyed=None, seconds=20.0, memory_bytes=2**30, "         \
                     "facts=None)\n--\n\n"                                                         \
                     "Observations of this probe, made in a forked child; fields() explains "      \
                     "them.")},
#include "probes.def"
#undef PROBE
    {"fields", module_fields, METH_NOARGS,
     PyDoc_STR("fields()\n--\n\nWhat each probe sees: {probe: {field: explanation}}.")},
    CHECK_METHODS{NULL, NULL, 0, NULL},
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
