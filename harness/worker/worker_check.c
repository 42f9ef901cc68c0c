#include "pycompat.h"

#include "worker_check.h"

#include <string.h>

#include "interp.h"

/* A list of the words, or NULL with an exception. */
static PyObject *check_words(char *const *words, int count)
{
    PyObject *list = PyList_New(count);

    for (int i = 0; list != NULL && i < count; i++) {
        PyObject *word = PyUnicode_DecodeFSDefault(words[i]);
        if (word == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, word);
    }
    return list;
}

/* What a check is about lies beside gctax_ext. It goes to the end of sys.path, so that a module of
 * the user's is found first whatever its name. */
static int check_add_modules(const char *base)
{
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    PyObject *directory = PyUnicode_FromFormat("%s/%s", base, GCTAX_EXT_DIR);
    int failed = -1;

    if (path == NULL)
        PyErr_SetString(PyExc_RuntimeError, "sys.path is gone");
    else if (directory != NULL)
        failed = PyList_Append(path, directory);
    Py_XDECREF(directory);
    return failed;
}

int worker_check(const char *base, int fd, char *const *words, int count)
{
    PyObject *module = NULL, *code = NULL;
    PyObject *list = check_words(words, count);
    long exit_code = -1;

    if (list != NULL && check_add_modules(base) == 0)
        module = PyImport_ImportModule("gctax_check");
    if (module != NULL)
        code = PyObject_CallMethod(module, "run", "OissO", list, fd, GCTAX_PYTHON_BUILD,
                                   GCTAX_LINKAGE, interp_free_threaded() ? Py_True : Py_False);
    if (code != NULL)
        exit_code = PyLong_AsLong(code);
    Py_XDECREF(list);
    Py_XDECREF(module);
    Py_XDECREF(code);
    return PyErr_Occurred() != NULL ? -1 : (int)exit_code;
}
