/* gc_hand: gc made by PyObject_GC_New() and tracked by its constructor when it is complete, as
 * types do that have no use for tp_alloc's zeros. */
#include "variant_common.h"

VARIANT_EACH_SIZE(VARIANT_SHOW_AND_DEALLOC)

static PyObject *create(PyTypeObject *type, int fields)
{
    if (!variant_is_own_type(type))
        return type->tp_alloc(type, 0);
    PyObject *self = PyObject_GC_New(PyObject, type);
    if (self == NULL)
        return NULL;
    variant_empty(variant_fields(self), fields);
    PyObject_GC_Track(self);
    return self;
}

static const struct variant_code code[] = {VARIANT_EACH_SIZE(VARIANT_CODE)};

const struct variant_family variant_family_gc_hand = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .create = create,
    .call = "c-api",
    .set = variant_fields_set,
    .get = variant_fields_get,
};
