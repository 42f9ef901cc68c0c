/* gc_immutable: gc1 whose type cannot be changed (Py_TPFLAGS_IMMUTABLETYPE). */
#include "variant_common.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, variant_fields(self), 1, visit, arg);
}

static int clear(PyObject *self)
{
    return variant_clear(variant_fields(self), 1);
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_clear(variant_fields(self), 1);
    variant_free(self);
}

static const struct variant_code code[] = {
    {.fields = 1, .dealloc = dealloc, .traverse = traverse, .clear = clear},
};

const struct variant_family variant_family_gc_immutable = {
    .code = code,
    .code_count = 1,
    .head_bytes = sizeof(struct variant_object),
    .set = variant_fields_set,
    .get = variant_fields_get,
};
