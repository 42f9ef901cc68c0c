/* gc_trashcan: gc1 whose dealloc uses the trashcan, so that a chain of any length is destroyed in a
 * bounded stack. From 3.14 on the interpreter does this itself for every type with GC, and the
 * macros are empty. */
#include "variant_common.h"

VARIANT_SHOW(1)

/* Untracked first: the trashcan links what waits in it through the GC head. */
static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, dealloc) variant_clear(variant_fields(self), 1);
    variant_free(self);
    Py_TRASHCAN_END
}

static const struct variant_code code[] = {
    {.fields = 1, .dealloc = dealloc, .traverse = traverse_1, .clear = clear_1},
};

const struct variant_family variant_family_gc_trashcan = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .set = variant_fields_set,
    .get = variant_fields_get,
};
