/* gc_fin: gc1 with a tp_finalize that does nothing: the cost of having one. */
#include "variant_common.h"

VARIANT_SHOW(1)

static void finalize(PyObject *Py_UNUSED(self))
{
}

/* The finalizer runs while the instance is whole and tracked: it may bring it back. */
static void dealloc(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) < 0)
        return;
    PyObject_GC_UnTrack(self);
    variant_clear(variant_fields(self), 1);
    variant_free(self);
}

static const struct variant_code code[] = {
    {.fields = 1, .dealloc = dealloc, .traverse = traverse_1, .clear = clear_1},
};

static const PyType_Slot slots[] = {{Py_tp_finalize, (void *)finalize}, {0, NULL}};

const struct variant_family variant_family_gc_fin = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .slots = slots,
    .set = variant_fields_set,
    .get = variant_fields_get,
};
