/* plain_b and gc_b: as many bytes as pointer fields, which hold no reference, as in a type that
 * wraps numbers. All that an instance owns is its type: with GC that is what the collector visits,
 * and there is nothing to clear, so a cycle through an instance is its partners' to break. */
#include "variant_common.h"

static void plain_dealloc(PyObject *self)
{
    variant_free(self);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, NULL, 0, visit, arg);
}

static int clear(PyObject *Py_UNUSED(self))
{
    return 0;
}

static void gc_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_free(self);
}

static const struct variant_code plain_code[] = {
    {.fields = VARIANT_ANY_FIELDS, .dealloc = plain_dealloc},
};

static const struct variant_code gc_code[] = {
    {.fields = VARIANT_ANY_FIELDS, .dealloc = gc_dealloc, .traverse = traverse, .clear = clear},
};

const struct variant_family variant_family_plain_b = {
    .code = plain_code,
    .code_count = 1,
    .source = "b",
    .head_bytes = sizeof(struct variant_object),
};

const struct variant_family variant_family_gc_b = {
    .code = gc_code,
    .code_count = 1,
    .source = "b",
    .head_bytes = sizeof(struct variant_object),
};
