/* MODULE:EXPR, --make and --link: other people's types. */
#include "target_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "interp.h"

/* statement(source, scope): what --link says as a function of a and b, whose inner functions and
 * comprehensions see both.
 *
 * recipe(source, scope): how an instance is made. (callee, arguments, names of the last of them)
 * where nothing but the call is to be repeated; else the code to be evaluated each time.
 * _ast is built in: nothing is imported for it that would be there while the cell runs.
 *
 * way(a, b): how an instance comes to hold another, (kind, attribute or method, how to empty it),
 * or None. What is tried is tried on instances that are thrown away. A method that takes the other
 * and owns no reference to it afterwards is no way: lxml's append() moves a node of a C tree, where
 * a cycle is a crash. */
static const char target_helpers[] =
    "import _ast\n"
    "from sys import getrefcount\n"
    "\n"
    "def constant(node):\n"
    "    if type(node) is _ast.UnaryOp:\n"
    "        return constant(node.operand)\n"
    "    if type(node) is _ast.Tuple:\n"
    "        return all(map(constant, node.elts))\n"
    "    return type(node) is _ast.Constant\n"
    "\n"
    "def value(node, scope):\n"
    "    return eval(compile(_ast.Expression(node), '<target>', 'eval'), scope)\n"
    "\n"
    "def recipe(source, scope):\n"
    "    call = compile(source, '<target>', 'eval', 0x400).body\n"
    "    if type(call) is not _ast.Call:\n"
    "        return value(call, scope), (), ()\n"
    "    given = call.args + [keyword.value for keyword in call.keywords]\n"
    "    names = tuple(keyword.arg for keyword in call.keywords)\n"
    "    if None not in names and all(map(constant, given)):\n"
    "        return value(call.func, scope), tuple(value(node, scope) for node in given), names\n"
    "    return compile(source, '<target>', 'eval')\n"
    "\n"
    "def statement(source, scope):\n"
    "    tree = compile('def link(a, b): pass', '<link>', 'exec', 0x400)\n"
    "    tree.body[0].body = compile(source, '<link>', 'exec', 0x400).body or tree.body[0].body\n"
    "    names = {}\n"
    "    exec(compile(tree, '<link>', 'exec'), scope, names)\n"
    "    return names['link']\n"
    "\n"
    "def holds(a, b, name):\n"
    "    try:\n"
    "        setattr(a, name, b)\n"
    "        return getattr(a, name) is b\n"
    "    except Exception:\n"
    "        return False\n"
    "\n"
    "def accepts(a, name, *arguments):\n"
    "    before = getrefcount(arguments[-1])\n"
    "    try:\n"
    "        getattr(a, name)(*arguments)\n"
    "        return getrefcount(arguments[-1]) > before\n"
    "    except Exception:\n"
    "        return False\n"
    "\n"
    "def way(a, b):\n"
    "    if holds(a, b, '_gctax_link'):\n"
    "        return 'attribute', '_gctax_link', None\n"
    "    for name in dir(type(a)):\n"
    "        kind = type(getattr(type(a), name, None)).__name__\n"
    "        if kind in ('member_descriptor', 'getset_descriptor') and name[:2] != '__':\n"
    "            if holds(a, b, name):\n"
    "                return 'attribute', name, None\n"
    "    empty = 'clear' if hasattr(a, 'clear') else None\n"
    "    if accepts(a, 'append', b):\n"
    "        return 'method', 'append', empty or ('pop' if hasattr(a, 'pop') else None)\n"
    "    if accepts(a, '__setitem__', None, b):\n"
    "        return 'item', '__setitem__', empty\n"
    "    if accepts(a, 'add', b):\n"
    "        return 'method', 'add', empty\n"
    "    return None\n";

/* Calls one of them: a new reference, or NULL with an exception. */
static PyObject *target_help(const char *function, PyObject *first, PyObject *second)
{
    PyObject *ran = NULL, *result = NULL;
    PyObject *scope = PyDict_New();

    if (scope != NULL && PyDict_SetItemString(scope, "__builtins__", PyEval_GetBuiltins()) == 0)
        ran = PyRun_String(target_helpers, Py_file_input, scope, scope);
    if (ran != NULL)
        result = PyObject_CallFunctionObjArgs(PyDict_GetItemString(scope, function), first, second,
                                              NULL);
    Py_XDECREF(ran);
    /* The functions and their namespace are a cycle: emptied here, not left for the collector. */
    if (scope != NULL)
        PyDict_Clear(scope);
    Py_XDECREF(scope);
    return result;
}

/* ---- make() ---------------------------------------------------------------------------------- */

static PyObject *target_make_call(const struct target *target)
{
    return PyObject_Vectorcall(target->callee, target->args, target->nargs, target->kwnames);
}

static PyObject *target_make_eval(const struct target *target)
{
    return PyEval_EvalCode(target->code, target->globals, target->globals);
}

/* Imports `name`; where it is not found and no virtual environment was given, once more with what
 * site adds. */
static PyObject *target_import(const char *name, bool venv)
{
    PyObject *module = PyImport_ImportModule(name);

    if (module == NULL && !venv && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) {
        PyErr_Clear();
        if (interp_add_site() == 0)
            module = PyImport_ImportModule(name);
    }
    return module;
}

/* A namespace with the attributes of the module. */
static PyObject *target_scope(PyObject *module)
{
    PyObject *scope = PyDict_Copy(PyModule_GetDict(module));

    if (scope != NULL && PyDict_SetItemString(scope, "__builtins__", PyEval_GetBuiltins()) < 0)
        Py_CLEAR(scope);
    return scope;
}

/* Takes what recipe() returned into *target. */
static enum target_result target_take_recipe(struct target *target, PyObject *recipe,
                                             const char *name, char *why, size_t size)
{
    if (PyCode_Check(recipe)) {
        target->code = Py_NewRef(recipe);
        target->make = target_make_eval;
        target->call = "eval";
        return TARGET_OK;
    }
    PyObject *names = PyTuple_GetItem(recipe, 2);
    target->callee = Py_NewRef(PyTuple_GetItem(recipe, 0));
    target->make_args = Py_NewRef(PyTuple_GetItem(recipe, 1));
    target->args = &PyTuple_GET_ITEM(target->make_args, 0);
    target->nargs = (size_t)(PyTuple_Size(target->make_args) - PyTuple_Size(names));
    target->kwnames = PyTuple_Size(names) == 0 ? NULL : Py_NewRef(names);
    target->make = target_make_call;
    target->call = "vectorcall";
    return PyCallable_Check(target->callee) ? TARGET_OK
                                            : target_fail(why, size, "'%s' is not callable", name);
}

enum target_result target_open_user(struct target *target, const struct cell *cell, bool venv,
                                    char *why, size_t size)
{
    enum target_result result = TARGET_ERROR;
    const char *colon = strchr(cell->target, ':');
    const char *source = *cell->make == '\0' ? colon + 1 : cell->make;
    const char *name = *cell->make == '\0' ? cell->target : cell->make;
    char prefix[512];
    PyObject *recipe = NULL, *text = NULL, *module = NULL;
    char *module_name = strndup(cell->target, (size_t)(colon - cell->target));

    if (module_name == NULL)
        return target_fail(why, size, "out of memory");
    if (*module_name == '\0' || colon[1] == '\0') {
        target_fail(why, size, "target '%s' is not MODULE:EXPR", cell->target);
        goto finally;
    }
    module = target_import(module_name, venv);
    if (module == NULL) {
        bool missing = PyErr_ExceptionMatches(PyExc_ModuleNotFoundError);
        snprintf(prefix, sizeof prefix, "cannot import module '%s': ", module_name);
        target_fail_exception(why, size, prefix);
        if (missing)
            snprintf(why + strlen(why), size - strlen(why),
                     " (--path DIR or --venv DIR says where modules are)");
        goto finally;
    }
    target->globals = target_scope(module);
    text = PyUnicode_DecodeFSDefault(source);
    if (target->globals != NULL && text != NULL)
        recipe = target_help("recipe", text, target->globals);
    if (recipe == NULL) {
        snprintf(prefix, sizeof prefix, "expression '%s' raises ", source);
        target_fail_exception(why, size, prefix);
        goto finally;
    }
    result = target_take_recipe(target, recipe, name, why, size);
finally:
    free(module_name);
    Py_XDECREF(module);
    Py_XDECREF(text);
    Py_XDECREF(recipe);
    return result;
}

/* ---- link() ---------------------------------------------------------------------------------- */

static int target_done(PyObject *result)
{
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static int target_link_attribute(const struct target *target, PyObject *from, PyObject *to)
{
    return PyObject_SetAttr(from, target->link_name, to);
}

static int target_unlink_attribute(const struct target *target, PyObject *from)
{
    if (PyObject_SetAttr(from, target->link_name, Py_None) == 0)
        return 0;
    PyErr_Clear();
    return PyObject_SetAttr(from, target->link_name, NULL);
}

static int target_link_method(const struct target *target, PyObject *from, PyObject *to)
{
    return target_done(PyObject_CallMethodObjArgs(from, target->link_name, to, NULL));
}

static int target_link_method_at(const struct target *target, PyObject *from, int place,
                                 PyObject *to)
{
    (void)place; /* append() and add() take as many as come */
    return target_link_method(target, from, to);
}

static int target_link_item(const struct target *target, PyObject *from, PyObject *to)
{
    (void)target;
    return PyObject_SetItem(from, Py_None, to);
}

static int target_unlink_method(const struct target *target, PyObject *from)
{
    return target_done(PyObject_CallMethodObjArgs(from, target->unlink_name, NULL));
}

static int target_link_statement(const struct target *target, PyObject *from, PyObject *to)
{
    return target_done(PyObject_CallFunctionObjArgs(target->link_call, from, to, NULL));
}

static enum target_result target_link_given(struct target *target, const char *statement,
                                            PyObject *a, PyObject *b, char *why, size_t size)
{
    char prefix[512];
    PyObject *text = PyUnicode_FromString(statement);

    snprintf(prefix, sizeof prefix, "link '%s' raises ", statement);
    if (text != NULL)
        target->link_call = target_help("statement", text, target->globals);
    Py_XDECREF(text);
    if (target->link_call == NULL || target_link_statement(target, a, b) < 0)
        return target_fail_exception(why, size, prefix);
    target->link = target_link_statement;
    return TARGET_OK;
}

enum target_result target_link_user(struct target *target, const struct cell *cell, PyObject *a,
                                    PyObject *b, char *why, size_t size)
{
    if (*cell->link != '\0')
        return target_link_given(target, cell->link, a, b, why, size);
    if (strchr(cell->target, ':') == NULL)
        return TARGET_OK; /* one of ours that holds nothing */

    PyObject *way = target_help("way", a, b);
    if (way == NULL)
        return target_fail_exception(why, size, "looking for a way to link instances raises ");
    if (way != Py_None) {
        const char *kind = PyUnicode_AsUTF8(PyTuple_GetItem(way, 0));
        PyObject *unlink = PyTuple_GetItem(way, 2);
        bool attribute = kind != NULL && strcmp(kind, "attribute") == 0;
        bool item = kind != NULL && strcmp(kind, "item") == 0;
        target->link_name = Py_NewRef(PyTuple_GetItem(way, 1));
        if (unlink != Py_None)
            target->unlink_name = Py_NewRef(unlink);
        target->link = attribute ? target_link_attribute
                       : item    ? target_link_item
                                 : target_link_method;
        target->link_at = attribute || item ? NULL : target_link_method_at;
        target->unlink = attribute                     ? target_unlink_attribute
                         : target->unlink_name != NULL ? target_unlink_method
                                                       : NULL;
    }
    Py_DECREF(way);
    return TARGET_OK;
}
