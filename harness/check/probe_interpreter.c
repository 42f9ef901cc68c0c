#include "pycompat.h"

#include "probe_interpreter.h"
#include "probe_run.h"

#include <stdlib.h>
#include <string.h>

/* What is seen of one interpreter. */
struct visit {
    const char *source, *path; /* path: source that sets sys.path as it is in the first one */
    PyTypeObject *type;        /* of the first interpreter; only its address is looked at */
    int64_t made, same_type, refused;
};

/* Runs in the second interpreter: no object of the first one is touched. */
static void visit_interpreter(struct visit *visit)
{
    PyObject *module = PyImport_AddModule("__main__"); /* borrowed */
    PyObject *globals = module != NULL ? PyModule_GetDict(module) : NULL;
    PyObject *ran =
        globals != NULL ? PyRun_String(visit->path, Py_file_input, globals, globals) : NULL;
    Py_XDECREF(ran);
    if (ran != NULL)
        ran = PyRun_String(visit->source, Py_file_input, globals, globals);
    PyObject *made = ran != NULL ? PyDict_GetItemString(globals, "made") : NULL; /* borrowed */
    visit->made = made != NULL;
    visit->refused = made == NULL && PyErr_ExceptionMatches(PyExc_ImportError);
    visit->same_type = made != NULL && Py_TYPE(made) == visit->type &&
                       (visit->type->tp_flags & Py_TPFLAGS_HEAPTYPE);
    Py_XDECREF(ran);
    PyErr_Clear();
    PyGC_Collect();
}

/* 0 when it is over, 1 when no interpreter could be started. */
static int run_interpreter(struct visit *visit, bool own_gil)
{
    PyThreadState *first = PyThreadState_Get();
    PyThreadState *second = gctax_new_interpreter(own_gil);
    if (second == NULL) {
        PyThreadState_Swap(first);
        return 1;
    }
    visit_interpreter(visit);
    Py_EndInterpreter(second);
    PyThreadState_Swap(first);
    return 0;
}

/* "import sys; sys.path[:] = […]", a new reference, or NULL with an exception. */
static PyObject *path_source(void)
{
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    if (path != NULL)
        return PyUnicode_FromFormat("import sys; sys.path[:] = %R", path);
    PyErr_SetString(PyExc_RuntimeError, "sys.path is gone");
    return NULL;
}

/* Uses the type in the first interpreter again. 0, or -1 with an exception. */
static int use_again(struct probe_run *run)
{
    PyObject *self = probe_make_filled(run);
    if (self == NULL)
        return -1;
    probe_drop(self);
    return probe_collect_twice(run);
}

/* An interpreter that has its own GIL asks more of a module than one that shares it. 1: an instance
 * was made there, and nothing remains to be asked; 0: none was; -1 with an exception. */
static int observe_own_gil(struct probe_run *run, struct visit *visit)
{
    if (!GCTAX_OWN_GIL)
        return 0;
    struct probe_interpreter *seen = run->seen;
    probe_step(run, "making an instance in an interpreter with a GIL of its own");
    if (run_interpreter(visit, true) != 0)
        return 0;
    seen->started = 1;
    seen->own_gil_refused = visit->refused;
    seen->own_gil_made = visit->made;
    seen->own_gil_same_type = visit->same_type;
    probe_step(run, "using the type after an interpreter with a GIL of its own has ended");
    if (use_again(run) < 0)
        return -1;
    seen->own_gil_ended = 1;
    return visit->made != 0;
}

static int observe_shared_gil(struct probe_run *run, struct visit *visit)
{
    struct probe_interpreter *seen = run->seen;
    probe_step(run, "making an instance in a second interpreter");
    seen->started = run_interpreter(visit, false) == 0;
    if (!seen->started)
        return 0;
    seen->made = visit->made;
    seen->same_type = visit->same_type;
    probe_step(run, "using the type after a second interpreter has ended");
    if (use_again(run) < 0)
        return -1;
    seen->ended = 1;
    return 0;
}

static int observe(struct probe_run *run, const char *source, const char *path)
{
    struct visit visit = {.source = source, .path = path, .type = run->type};
    int made = observe_own_gil(run, &visit);
    if (made == 0)
        return observe_shared_gil(run, &visit);
    return made < 0 ? -1 : 0;
}

static int body(struct probe_run *run)
{
    PyObject *source = probe_fact(run, "make_source");
    if (source == NULL)
        return 0;
    const char *text = PyUnicode_AsUTF8(source);
    PyObject *path = text != NULL ? path_source() : NULL;
    const char *path_text = path != NULL ? PyUnicode_AsUTF8(path) : NULL;
    int failed = path_text != NULL ? observe(run, text, path_text) : -1;
    Py_XDECREF(path);
    return failed;
}

static const struct probe_field fields[] = {PROBE_INTERPRETER(PROBE_FIELD)};

const struct probe probe_interpreter = {
    .name = "interpreter",
    .doc = "The type in a second interpreter, and in the first after that has ended.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
