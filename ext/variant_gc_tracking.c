/* gc_lazy and gc_never: tracked when a field first comes to hold an object that the collector
 * knows, as dicts were up to 3.13, or not at all, as what holds no reference need not be. Instances
 * of a Python subclass have more to hold and are tracked at birth. */
#include "variant_common.h"

enum { LAZY_FIELDS = 8 };

static int lazy_traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, variant_fields(self), LAZY_FIELDS, visit, arg);
}

static int lazy_clear(PyObject *self)
{
    return variant_clear(variant_fields(self), LAZY_FIELDS);
}

/* PyObject_GC_UnTrack() bears an instance that is not tracked. */
static void lazy_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_clear(variant_fields(self), LAZY_FIELDS);
    variant_free(self);
}

static PyObject *create(PyTypeObject *type, int fields)
{
    if (!variant_is_own_type(type))
        return type->tp_alloc(type, 0);
    PyObject *self = PyObject_GC_New(PyObject, type);
    if (self != NULL)
        variant_empty(variant_fields(self), fields);
    return self;
}

static int lazy_set(PyObject *self, int field, PyObject *value)
{
    PyObject **place = &variant_fields(self)[field];
    PyObject *old = *place;
    *place = Py_XNewRef(value);
    if (value != NULL && PyObject_IS_GC(value) && !PyObject_GC_IsTracked(self))
        PyObject_GC_Track(self);
    Py_XDECREF(old);
    return 0;
}

static int never_traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, NULL, 0, visit, arg);
}

static int never_clear(PyObject *Py_UNUSED(self))
{
    return 0;
}

static void never_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self); /* of a subclass */
    variant_free(self);
}

static const struct variant_code lazy_code[] = {
    {.fields = LAZY_FIELDS,
     .dealloc = lazy_dealloc,
     .traverse = lazy_traverse,
     .clear = lazy_clear},
};

static const struct variant_code never_code[] = {
    {.fields = VARIANT_ANY_FIELDS,
     .dealloc = never_dealloc,
     .traverse = never_traverse,
     .clear = never_clear},
};

const struct variant_family variant_family_gc_lazy = {
    .code = lazy_code,
    .code_count = 1,
    .source = "gc_tracking",
    .head_bytes = sizeof(struct variant_object),
    .create = create,
    .call = "c-api",
    .set = lazy_set,
    .get = variant_fields_get,
};

const struct variant_family variant_family_gc_never = {
    .code = never_code,
    .code_count = 1,
    .source = "gc_tracking",
    .head_bytes = sizeof(struct variant_object),
    .create = create,
    .call = "c-api",
};
