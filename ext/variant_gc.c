/* gc: pointer fields with HAVE_GC, the base point that all other families are compared with. */
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

#define CODE(COUNT)                                                                                \
    {.fields = COUNT,                                                                              \
     .dealloc = dealloc_##COUNT,                                                                   \
     .traverse = traverse_##COUNT,                                                                 \
     .clear = clear_##COUNT},
static const struct variant_code code[] = {VARIANT_EACH_SIZE(CODE)};

const struct variant_family variant_family_gc = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .set = variant_fields_set,
    .get = variant_fields_get,
};
