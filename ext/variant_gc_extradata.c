/* gc_extradata: eight pointer fields behind the struct, in bytes that
 * PyUnstable_Object_GC_NewWithExtraData() allocates with it and empties. It cannot be subclassed:
 * from 3.13 on the attributes of a Python subclass may lie in the same place. */
#include "variant_common.h"

#ifdef GCTAX_EXTRA_DATA
enum { FIELDS = 8 };

VARIANT_INLINE PyObject **extra(PyObject *self)
{
    return (PyObject **)((char *)self + Py_TYPE(self)->tp_basicsize);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, extra(self), FIELDS, visit, arg);
}

static int clear(PyObject *self)
{
    return variant_clear(extra(self), FIELDS);
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_clear(extra(self), FIELDS);
    variant_free(self);
}

static PyObject *create(PyTypeObject *type, int fields)
{
    PyObject *self =
        PyUnstable_Object_GC_NewWithExtraData(type, (size_t)fields * sizeof(PyObject *));
    if (self != NULL)
        PyObject_GC_Track(self);
    return self;
}

static int set(PyObject *self, int field, PyObject *value)
{
    PyObject **place = &extra(self)[field];
    Py_XSETREF(*place, Py_XNewRef(value));
    return 0;
}

static PyObject *get(PyObject *self, int field)
{
    return extra(self)[field];
}

static const struct variant_code code[] = {
    {.fields = FIELDS, .dealloc = dealloc, .traverse = traverse, .clear = clear},
};

const struct variant_family variant_family_gc_extradata = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .place = VARIANT_EXTRA_DATA,
    .final = true,
    .create = create,
    .call = "c-api",
    .set = set,
    .get = get,
};
#else
const struct variant_family variant_family_gc_extradata = {.code = NULL};
#endif
