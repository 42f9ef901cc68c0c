/* gc_var and gc_var_long, and plain_var without GC: the pointer fields are the items of a
 * PyVarObject, whose number its functions read from the instance. */
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

static void plain_dealloc(PyObject *self)
{
    variant_clear(variant_items(self), Py_SIZE(self));
    variant_free(self);
}

static const struct variant_code code[] = {
    {.fields = VARIANT_ANY_FIELDS, .dealloc = dealloc, .traverse = traverse, .clear = clear},
};

static const struct variant_code plain_code[] = {
    {.fields = VARIANT_ANY_FIELDS, .dealloc = plain_dealloc},
};

#define DEFINE(NAME, CODE)                                                                         \
    const struct variant_family variant_family_##NAME = {                                          \
        .code = CODE,                                                                              \
        .code_count = 1,                                                                           \
        .source = "gc_var",                                                                        \
        .head_bytes = sizeof(struct variant_var_object),                                           \
        .place = VARIANT_ITEMS,                                                                    \
        .create = variant_items_create,                                                            \
        .set = variant_items_set,                                                                  \
        .get = variant_items_get,                                                                  \
    };
DEFINE(gc_var, code)
DEFINE(gc_var_long, code)
DEFINE(plain_var, plain_code)
