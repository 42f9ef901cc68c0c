/* The front that is loaded: gctax_hosted.run(argv, base), for the interpreter's own executable. */
#include "pycompat.h"

#include <stdlib.h>
#include <string.h>

#include "interp.h"
#include "worker.h"

static void hosted_argv_free(char **argv)
{
    for (char **word = argv; *word != NULL; word++)
        free(*word);
    free(argv);
}

/* argv as C strings, NULL after the last; NULL with an exception. They live as long as the process,
 * as main()'s do. */
static char **hosted_argv(PyObject *list, int *argc)
{
    Py_ssize_t count = PyList_Size(list);
    char **argv = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *argv);

    if (argv == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *bytes = PyUnicode_EncodeFSDefault(PyList_GetItem(list, i));
        argv[i] = bytes == NULL ? NULL : strdup(PyBytes_AsString(bytes));
        Py_XDECREF(bytes);
        if (argv[i] == NULL) {
            hosted_argv_free(argv);
            return NULL;
        }
    }
    *argc = (int)count;
    return argv;
}

/* run(argv, base): the exit code. Standard output is taken here: the interpreter's start has
 * printed nothing. */
static PyObject *hosted_run(PyObject *module, PyObject *arguments)
{
    PyObject *list;
    const char *base;
    struct worker worker;
    int argc;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!s", &PyList_Type, &list, &base))
        return NULL;
    char **argv = hosted_argv(list, &argc);
    if (argv == NULL)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    int code = worker_open(&worker, argc, argv);
    if (code == WORKER_OK && worker.arguments.command != WORKER_HELP) {
        const char *refused = interp_refuses_allocator(worker.arguments.cell.allocator);
        code = refused == NULL ? worker_run(&worker, base) : worker_skip(&worker, refused);
    }
    return PyLong_FromLong(code);
}

static PyMethodDef hosted_methods[] = {
    {"run", hosted_run, METH_VARARGS, "run(argv, base)\n--\n\nThe worker; returns its exit code."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef_Slot hosted_slots[] = {GCTAX_MODULE_SLOTS{0, NULL}};

static struct PyModuleDef hosted_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gctax_hosted",
    .m_methods = hosted_methods,
    .m_slots = hosted_slots,
};

PyMODINIT_FUNC PyInit_gctax_hosted(void);
PyMODINIT_FUNC PyInit_gctax_hosted(void)
{
    return PyModuleDef_Init(&hosted_definition);
}
