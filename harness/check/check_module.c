#include "pycompat.h"

#include "check.h"
#include "check_module.h"
#include "subject.h"

#include <stdlib.h>
#include <string.h>

/* ---- Forms of Python --------------------------------------------------------------------------
 */

struct forms {
    PyObject *sequence; /* owned: what the forms borrow from */
    int count;
    struct check_form *list;
    struct subject *subjects; /* count of them are open */
};

static void close_forms(struct forms *forms)
{
    for (int i = 0; i < forms->count; i++)
        subject_free(&forms->subjects[i]);
    free(forms->subjects);
    free(forms->list);
    Py_XDECREF(forms->sequence);
}

/* 0, or -1 with an exception; close_forms() after either. */
static int open_forms(struct forms *forms, PyObject *given, PyObject *facts)
{
    memset(forms, 0, sizeof *forms);
    forms->sequence = PySequence_Tuple(given);
    if (forms->sequence == NULL)
        return -1;
    Py_ssize_t count = PyTuple_GET_SIZE(forms->sequence);
    if (count == 0) {
        PyErr_SetString(PyExc_ValueError, "a check needs a form, the type itself");
        return -1;
    }
    forms->list = calloc((size_t)count, sizeof *forms->list);
    forms->subjects = calloc((size_t)count, sizeof *forms->subjects);
    if (forms->list == NULL || forms->subjects == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < count; i++) {
        PyObject *make, *slots, *destroyed = NULL;
        struct check_form *form = &forms->list[i];
        PyObject *tuple = PyTuple_GET_ITEM(forms->sequence, i);
        if (!PyTuple_Check(tuple)) {
            PyErr_SetString(PyExc_TypeError, "a form is a tuple (name, make, slots, destroyed)");
            return -1;
        }
        if (!PyArg_ParseTuple(tuple, "sOO|O;a form is a tuple (name, make, slots, destroyed)",
                              &form->name, &make, &slots, &destroyed) ||
            subject_open(&forms->subjects[i], make, slots, destroyed, facts) < 0)
            return -1;
        form->subject = &forms->subjects[i].probed;
        forms->count++;
    }
    return 0;
}

/* "freeze" or "unfreeze". 0, or -1 with an exception. */
static int call_gc(const char *name)
{
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *done = gc != NULL ? PyObject_CallMethod(gc, name, NULL) : NULL;
    Py_XDECREF(gc);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* Free-threaded builds mark each object as frozen, which in a child copies all that it shares with
 * its parent: there this process freezes once, and thaws again, unless its caller does. 0, or -1
 * with an exception. */
static int freeze(struct forms *forms, bool by_caller)
{
    if (!GCTAX_FREE_THREADED)
        return 0;
    if (!by_caller && call_gc("freeze") < 0)
        return -1;
    for (int i = 0; i < forms->count; i++)
        forms->subjects[i].probed.frozen = true;
    return 0;
}

/* An exception that is set stays. 0, or -1 with an exception. */
static int thaw(bool by_caller)
{
    if (!GCTAX_FREE_THREADED || by_caller)
        return 0;
    PyObject *exception = gctax_take_exception();
    int failed = call_gc("unfreeze");
    if (exception != NULL)
        gctax_restore_exception(exception);
    return failed;
}

/* ---- Verdicts for Python ----------------------------------------------------------------------
 */

static PyObject *text_or_none(const char *text)
{
    return text != NULL && *text != '\0'
               ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace")
               : Py_NewRef(Py_None);
}

static PyObject *show_finding(const struct check_row *row, const struct check_finding *finding,
                              const struct check_form *forms)
{
    bool found = finding->verdict >= RULE_SUSPECT;
    return Py_BuildValue("{sssissssszsNsNsNsNszsNsN}", "rule", row->id, "number", row->number,
                         "verdict", check_verdict_text(finding->verdict), "severity",
                         check_severity_text(row->severity), "form",
                         found ? forms[finding->form].name : NULL, "slot",
                         text_or_none(found ? finding->slot : NULL), "done",
                         text_or_none(found ? finding->done : NULL), "seen",
                         text_or_none(found ? finding->seen : NULL), "expected",
                         text_or_none(found ? finding->expected : NULL), "certainty",
                         found ? check_certainty_text(finding->certainty) : NULL, "leads_to",
                         text_or_none(found ? finding->leads_to : NULL), "reason",
                         text_or_none(found ? NULL : finding->reason));
}

/* Appends, and takes the reference. 0, or -1 with an exception. */
static int append(PyObject *list, PyObject *item)
{
    int failed = item == NULL ? -1 : PyList_Append(list, item);
    Py_XDECREF(item);
    return failed;
}

PyObject *check_module_check(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    static char forms_word[] = "forms", facts_word[] = "facts", seconds_word[] = "seconds",
                memory_word[] = "memory_bytes";
    static char *words[] = {forms_word, facts_word, seconds_word, memory_word, NULL};
    struct probe_limits limits = PROBE_LIMITS_DEFAULT;
    long long memory_bytes = limits.memory_bytes;
    PyObject *given, *facts = Py_None, *verdicts = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OdL", words, &given, &facts, &limits.seconds,
                                     &memory_bytes))
        return NULL;
    limits.memory_bytes = memory_bytes;
    if (facts != Py_None && !PyDict_Check(facts)) {
        PyErr_SetString(PyExc_TypeError, "facts are a dict, or None");
        return NULL;
    }
    struct forms forms;
    struct check_finding *findings = calloc(CHECK_RULES, sizeof *findings);
    if (open_forms(&forms, given, facts) < 0)
        goto done;
    if (findings == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    bool by_caller = facts != Py_None && PyDict_GetItemString(facts, "frozen") != NULL;
    if (freeze(&forms, by_caller) < 0)
        goto done;
    int checked =
        check_run(forms.list, forms.count, facts != Py_None ? facts : NULL, &limits, findings);
    if (thaw(by_caller) < 0 || checked < 0)
        goto done;
    verdicts = PyList_New(0);
    for (int i = 0; verdicts != NULL && i < CHECK_RULES; i++) {
        if (append(verdicts, show_finding(&check_rows[i], &findings[i], forms.list)) < 0)
            Py_CLEAR(verdicts);
    }
done:
    free(findings);
    close_forms(&forms);
    return verdicts;
}

PyObject *check_module_rules(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < CHECK_RULES; i++) {
        const struct check_row *row = &check_rows[i];
        PyObject *shown =
            Py_BuildValue("{sissssssssssss}", "number", row->number, "id", row->id, "severity",
                          check_severity_text(row->severity), "leads_to", row->leads_to, "source",
                          row->source, "doc", row->doc, "probed", row->probed);
        if (append(list, shown) < 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *check_module_cases(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    static const struct {
        const char *name;
        enum check_index rule;
        enum rule_verdict verdict;
    } cases[] = {
#define CASE(name, rule, VERDICT) {name, CHECK_##rule, RULE_##VERDICT},
#include "rules.def"
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < sizeof cases / sizeof *cases; i++) {
        PyObject *pair = Py_BuildValue("(ss)", check_rows[cases[i].rule].id,
                                       check_verdict_text(cases[i].verdict));
        if (pair == NULL || PyDict_SetItemString(dict, cases[i].name, pair) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(pair);
    }
    return dict;
}
