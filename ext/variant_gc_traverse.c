/* gc_traverse: one pointer field that only the constructor sets. With it nothing can be made that
 * is older and points back, so a cycle through an instance has a partner that was changed later:
 * there the collector breaks it, and tp_clear is not needed. */
#include "variant_common.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, variant_fields(self), 1, visit, arg);
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_clear(variant_fields(self), 1);
    variant_free(self);
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count > 1 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)) {
        PyErr_Format(PyExc_TypeError, "%s() takes one positional argument at most", type->tp_name);
        return NULL;
    }
    PyObject *self = type->tp_alloc(type, 0);
    if (self != NULL && count == 1)
        variant_fields(self)[0] = Py_NewRef(PyTuple_GET_ITEM(args, 0));
    return self;
}

static const struct variant_code code[] = {
    {.fields = 1, .dealloc = dealloc, .traverse = traverse},
};

static const PyType_Slot slots[] = {{Py_tp_new, (void *)new}, {0, NULL}};

const struct variant_family variant_family_gc_traverse = {
    .code = code,
    .code_count = 1,
    .head_bytes = sizeof(struct variant_object),
    .slots = slots,
    .get = variant_fields_get,
};
