/* gc_hand: gc made by PyObject_GC_New() and tracked by its constructor when it is complete, as
 * types do that have no use for tp_alloc's zeros. */
#include "variant_common.h"

#define DEFINE(COUNT)                                                                              \
    static int traverse_##COUNT(PyObject *self, visitproc visit, void *arg)                        \
    {                                                                                              \
        return variant_visit(self, variant_fields(self), COUNT, visit, arg);                       \
    }                                                                                              \
    static int clear_##COUNT(PyObject *self)                                                       \
    {                                                                                              \
        return variant_clear(variant_fields(self), COUNT);                                         \
    }                                                                                              \
    static void dealloc_##COUNT(PyObject *self)                                                    \
    {                                                                                              \
        PyObject_GC_UnTrack(self);                                                                 \
        variant_clear(variant_fields(self), COUNT);                                                \
        variant_free(self);                                                                        \
    }
VARIANT_EACH_SIZE(DEFINE)

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

#define CODE(COUNT)                                                                                \
    {.fields = COUNT,                                                                              \
     .dealloc = dealloc_##COUNT,                                                                   \
     .traverse = traverse_##COUNT,                                                                 \
     .clear = clear_##COUNT},
static const struct variant_code code[] = {VARIANT_EACH_SIZE(CODE)};

const struct variant_family variant_family_gc_hand = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .create = create,
    .set = variant_fields_set,
    .get = variant_fields_get,
};
