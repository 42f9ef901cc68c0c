/* The targets of targets.def: the floor, and types of CPython itself as references. */
#include "target_kinds.h"

#include <string.h>

#include "variant.h"

/* ---- null ------------------------------------------------------------------------------------ */

static PyObject *target_make_null(const struct target *target)
{
    return Py_NewRef(target->callee);
}

/* None: it is there on every release and outlives every count, and from 3.12 its count is no
 * memory traffic: the loop alone remains. */
void target_open_null(struct target *target)
{
    *target = (struct target){
        .make = target_make_null,
        .is_null = true,
        .call = "none",
        .callee = Py_NewRef(Py_None),
    };
}

/* ---- object, list, dict ---------------------------------------------------------------------- */

static PyObject *target_make_object(const struct target *target)
{
    return target->type->tp_alloc(target->type, 0);
}

static PyObject *target_make_list(const struct target *target)
{
    (void)target;
    return PyList_New(0);
}

static int target_link_list(const struct target *target, PyObject *from, PyObject *to)
{
    (void)target;
    return PyList_Append(from, to);
}

static int target_link_list_at(const struct target *target, PyObject *from, int place, PyObject *to)
{
    (void)place; /* the end: lists hold as many as come */
    return target_link_list(target, from, to);
}

static int target_unlink_list(const struct target *target, PyObject *from)
{
    (void)target;
    return PyList_SetSlice(from, 0, PY_SSIZE_T_MAX, NULL);
}

static PyObject *target_make_dict(const struct target *target)
{
    (void)target;
    return PyDict_New();
}

static int target_link_dict(const struct target *target, PyObject *from, PyObject *to)
{
    (void)target;
    return PyDict_SetItem(from, Py_None, to);
}

static int target_link_dict_at(const struct target *target, PyObject *from, int place, PyObject *to)
{
    (void)target;
    return PyDict_SetItem(from, place == 0 ? Py_None : Py_True, to);
}

static int target_unlink_dict(const struct target *target, PyObject *from)
{
    (void)target;
    PyDict_Clear(from);
    return 0;
}

/* ---- Python classes -------------------------------------------------------------------------- */

static const char target_classes[] = "class pyclass:\n"
                                     "    def __init__(self):\n"
                                     "        self.next = None\n"
                                     "class pyslots:\n"
                                     "    __slots__ = ('next',)\n"
                                     "    def __init__(self):\n"
                                     "        self.next = None\n";

static PyObject *target_make_class(const struct target *target)
{
    return PyObject_Vectorcall(target->callee, NULL, 0, NULL);
}

static int target_link_class(const struct target *target, PyObject *from, PyObject *to)
{
    return PyObject_SetAttr(from, target->link_name, to);
}

static int target_unlink_class(const struct target *target, PyObject *from)
{
    return PyObject_SetAttr(from, target->link_name, Py_None);
}

/* Runs the class statements in a namespace of their own and takes one class out of it. */
static int target_make_classes(struct target *target, const char *name)
{
    PyObject *ran = NULL, *builtins = PyEval_GetBuiltins(); /* borrowed */
    PyObject *scope = PyDict_New();
    PyObject *module = PyUnicode_FromString("gctax");

    if (scope != NULL && module != NULL &&
        PyDict_SetItemString(scope, "__builtins__", builtins) == 0 &&
        PyDict_SetItemString(scope, "__name__", module) == 0)
        ran = PyRun_String(target_classes, Py_file_input, scope, scope);
    if (ran != NULL)
        target->callee = Py_XNewRef(PyDict_GetItemString(scope, name));
    target->link_name = PyUnicode_InternFromString("next");
    Py_XDECREF(ran);
    Py_XDECREF(module);
    Py_XDECREF(scope);
    return target->callee == NULL || target->link_name == NULL ? -1 : 0;
}

/* ---------------------------------------------------------------------------------------------- */

bool target_open_builtin(struct target *target, const char *name, enum target_result *result,
                         char *why, size_t size)
{
    static const struct {
        const char *name;
        struct target target;
        PyTypeObject *type; /* NULL: a Python class */
    } builtins[] = {
        {"object", {.make = target_make_object, .call = "tp_alloc"}, &PyBaseObject_Type},
        {"list",
         {.make = target_make_list,
          .link = target_link_list,
          .link_at = target_link_list_at,
          .unlink = target_unlink_list,
          .call = "c-api"},
         &PyList_Type},
        {"dict",
         {.make = target_make_dict,
          .link = target_link_dict,
          .link_at = target_link_dict_at,
          .unlink = target_unlink_dict,
          .call = "c-api"},
         &PyDict_Type},
#define TARGET_CLASS                                                                               \
    {.make = target_make_class,                                                                    \
     .link = target_link_class,                                                                    \
     .unlink = target_unlink_class,                                                                \
     .call = "vectorcall"}
        {"pyclass", TARGET_CLASS, NULL},
        {"pyslots", TARGET_CLASS, NULL},
#undef TARGET_CLASS
    };

    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        if (strcmp(builtins[i].name, name) != 0)
            continue;
        *target = builtins[i].target;
        *result = TARGET_OK;
        target->type = (PyTypeObject *)Py_XNewRef(builtins[i].type);
        if (target->type == NULL && target_make_classes(target, name) < 0)
            *result = target_fail_exception(why, size, "making the class raises ");
        return true;
    }
    return false;
}
