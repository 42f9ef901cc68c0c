/* gc_newvar and gc_resize: items that PyObject_GC_NewVar() makes room for at once, or that are
 * grown by PyObject_GC_Resize() from none, which may move the object: it is tracked afterwards. */
#include "variant_common.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, variant_items(self), Py_SIZE(self), visit, arg);
}

static int clear(PyObject *self)
{
    return variant_clear(variant_items(self), Py_SIZE(self));
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_clear(variant_items(self), Py_SIZE(self));
    variant_free(self);
}

static PyObject *create(PyTypeObject *type, int fields)
{
    if (!variant_is_own_type(type))
        return type->tp_alloc(type, fields);
    PyObject *self = (PyObject *)PyObject_GC_NewVar(PyVarObject, type, fields);
    if (self == NULL)
        return NULL;
    variant_empty(variant_items(self), fields);
    PyObject_GC_Track(self);
    return self;
}

static PyObject *create_grown(PyTypeObject *type, int fields)
{
    if (!variant_is_own_type(type))
        return type->tp_alloc(type, fields);
    PyVarObject *small = PyObject_GC_NewVar(PyVarObject, type, 0);
    if (small == NULL)
        return NULL;
    PyObject *self = (PyObject *)PyObject_GC_Resize(PyVarObject, small, fields);
    if (self == NULL) {
        Py_DECREF(small);
        return NULL;
    }
    variant_empty(variant_items(self), fields);
    PyObject_GC_Track(self);
    return self;
}

static const struct variant_code code[] = {
    {.fields = VARIANT_ANY_FIELDS, .dealloc = dealloc, .traverse = traverse, .clear = clear},
};

#define FAMILY(NAME, CREATE)                                                                       \
    const struct variant_family variant_family_##NAME = {                                          \
        .code = code,                                                                              \
        .code_count = 1,                                                                           \
        .source = "gc_newvar",                                                                     \
        .head_bytes = sizeof(struct variant_var_object),                                           \
        .place = VARIANT_ITEMS,                                                                    \
        .create = CREATE,                                                                          \
        .call = "c-api",                                                                           \
        .set = variant_items_set,                                                                  \
        .get = variant_items_get,                                                                  \
    }

FAMILY(gc_newvar, create);
FAMILY(gc_resize, create_grown);
