/* py_…: Python subclasses of other variants, made as a class statement makes them. What an instance
 * has beyond its base's, the interpreter visits, clears and frees, and calls the base for the rest:
 * it is HAVE_GC even where its base is not, whose fields it cannot visit then. */
#include "variant_common.h"

/* Runs the body of the class and calls type(name, (base,), namespace). */
PyTypeObject *variant_make_python(PyObject *module, const struct variant *variant, const char *doc,
                                  const char *base_name, const char *body)
{
    const struct variant *base = variant_find(module, base_name);
    PyObject *class = NULL, *result = NULL;
    PyObject *globals = PyDict_New();
    PyObject *namespace = Py_BuildValue("{s:s,s:s}", "__module__", "gctax_ext", "__doc__", doc);
    if (base == NULL || globals == NULL || namespace == NULL ||
        PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins()) < 0)
        goto finally;
    result = PyRun_String(body, Py_file_input, globals, namespace);
    if (result != NULL)
        class = PyObject_CallFunction((PyObject *)&PyType_Type, "s(O)O", variant->name, base->type,
                                      namespace);
finally:
    Py_XDECREF(result);
    Py_XDECREF(namespace);
    Py_XDECREF(globals);
    return (PyTypeObject *)class;
}

#define CLASS(NAME, BASE, BODY, ...)                                                               \
    static PyTypeObject *make_##NAME(PyObject *module, const struct variant *variant,              \
                                     const char *doc)                                              \
    {                                                                                              \
        return variant_make_python(module, variant, doc, BASE, BODY);                              \
    }                                                                                              \
    const struct variant_family variant_family_##NAME = {                                          \
        .make_type = make_##NAME, .source = "py", __VA_ARGS__}

#define FIELDS                                                                                     \
    .head_bytes = sizeof(struct variant_object), .set = variant_fields_set,                        \
    .get = variant_fields_get

CLASS(py_gc, "gc1", "pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_slots, "gc1", "__slots__ = ('slot',)", FIELDS, .extra_bytes = sizeof(PyObject *));
CLASS(py_gc_del, "gc1", "def __del__(self): pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_fin, "gc_fin", "pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_plain, "plain1", "pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_plain_b, "plain1b", "pass", .head_bytes = sizeof(struct variant_object),
      .extra_bytes = GCTAX_SUBCLASS_BYTES);
/* The pre-header of its base has room for the weak references. */
CLASS(py_gc_dict, "gc_dict", "pass", FIELDS);
CLASS(py_gc_var, "gc_var8", "pass", .head_bytes = sizeof(struct variant_var_object),
      .place = VARIANT_ITEMS, .create = variant_items_create, .set = variant_items_set,
      .get = variant_items_get, .extra_bytes = GCTAX_VAR_SUBCLASS_BYTES);
/* The dict of its base, or the weak references, are where they were. */
CLASS(py_gc_dictoffset, "gc_dictoffset", "pass", FIELDS,
      .extra_bytes = sizeof(PyObject *) + GCTAX_SUBCLASS_WEAKREF_BYTES);
CLASS(py_gc_weaklist, "gc_weaklist", "pass", FIELDS,
      .extra_bytes = sizeof(PyObject *) + GCTAX_SUBCLASS_DICT_BYTES);
CLASS(py_gc_trashcan, "gc_trashcan", "pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_freelist, "gc_freelist", "pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_inherit, "gc_inherit", "pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_call, "gc_call", "pass", FIELDS, .create = variant_call_create, .call = "tp_new",
      .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_init, "gc_init", "pass", FIELDS, .create = variant_call_create,
      .call = "tp_new+tp_init", .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_vectorcall, "gc_vectorcall", "pass", FIELDS, .create = variant_call_create,
      .call = "tp_new", .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_resurrect, "gc_resurrect", "pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_traverse, "gc_traverse", "pass", .head_bytes = sizeof(struct variant_object),
      .get = variant_fields_get, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_static, "gc_static", "pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
CLASS(py_gc_immutable, "gc_immutable", "pass", FIELDS, .extra_bytes = GCTAX_SUBCLASS_BYTES);
/* As with py_gc_dict: the pre-header is there. */
CLASS(py_gc_weak, "gc_weak", "pass", FIELDS);
CLASS(py_plain_slots, "plain1", "__slots__ = ('slot',)", FIELDS, .extra_bytes = sizeof(PyObject *));
CLASS(py_plain_dictoffset, "plain_dictoffset", "pass", FIELDS,
      .extra_bytes = sizeof(PyObject *) + GCTAX_SUBCLASS_WEAKREF_BYTES);
CLASS(py_plain_var, "plain_var8", "pass", .head_bytes = sizeof(struct variant_var_object),
      .place = VARIANT_ITEMS, .create = variant_items_create, .set = variant_items_set,
      .get = variant_items_get, .extra_bytes = GCTAX_VAR_SUBCLASS_BYTES);
