/* gc_static, plain_static and plain_static_b: gc1, plain1 and plain1b as static types. Their
 * instances hold no reference to the type, so none visits or releases it; that of a Python subclass
 * does the interpreter. What hangs on a static type (its dict, its subclasses) belongs to the
 * interpreter that made it ready, and it outlives all copies of the module: only the main
 * interpreter's copies have it, which they share. */
#include "variant_common.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit_fields(variant_fields(self), 1, visit, arg);
}

static int clear(PyObject *self)
{
    return variant_clear(variant_fields(self), 1);
}

static void gc_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_clear(variant_fields(self), 1);
    variant_free_memory(self);
}

static void plain_dealloc(PyObject *self)
{
    variant_clear(variant_fields(self), 1);
    variant_free_memory(self);
}

static void bytes_dealloc(PyObject *self)
{
    variant_free_memory(self);
}

static const struct variant_code gc_code[] = {
    {.fields = 1, .dealloc = gc_dealloc, .traverse = traverse, .clear = clear},
};

static const struct variant_code plain_code[] = {
    {.fields = 1, .dealloc = plain_dealloc},
};

static const struct variant_code bytes_code[] = {
    {.fields = 1, .dealloc = bytes_dealloc},
};

#define FAMILY(NAME, CODE, ...)                                                                    \
    static PyTypeObject NAME##_type = {                                                            \
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "gctax_ext." #NAME,                               \
    };                                                                                             \
    static PyTypeObject *make_##NAME(PyObject *Py_UNUSED(module), const struct variant *variant,   \
                                     const char *doc)                                              \
    {                                                                                              \
        return variant_make_static(&NAME##_type, variant, doc);                                    \
    }                                                                                              \
    const struct variant_family variant_family_##NAME = {                                          \
        .code = CODE,                                                                              \
        .code_count = 1,                                                                           \
        .source = "static",                                                                        \
        .head_bytes = sizeof(struct variant_object),                                               \
        .make_type = make_##NAME,                                                                  \
        __VA_ARGS__,                                                                               \
    }

FAMILY(gc_static, gc_code, .set = variant_fields_set, .get = variant_fields_get);
FAMILY(plain_static, plain_code, .set = variant_fields_set, .get = variant_fields_get);
FAMILY(plain_static_b, bytes_code, .set = NULL);
