/* gc_dictoffset, and plain_dictoffset without GC: one pointer field and an instance dict in a
 * member of the struct, which the type names to the interpreter and owns itself. */
#include "variant_common.h"

struct dict_object {
    PyObject_HEAD
    PyObject *field[1];
    PyObject *dict;
};

VARIANT_INLINE int clear_all(PyObject *self)
{
    Py_CLEAR(((struct dict_object *)self)->dict);
    return variant_clear(variant_fields(self), 1);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct dict_object *)self)->dict);
    return variant_visit(self, variant_fields(self), 1, visit, arg);
}

static int clear(PyObject *self)
{
    return clear_all(self);
}

static void gc_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    clear_all(self);
    variant_free(self);
}

static void plain_dealloc(PyObject *self)
{
    clear_all(self);
    variant_free(self);
}

static const struct variant_code gc_code[] = {
    {.fields = 1, .dealloc = gc_dealloc, .traverse = traverse, .clear = clear},
};

static const struct variant_code plain_code[] = {
    {.fields = 1, .dealloc = plain_dealloc},
};

static PyMemberDef members[] = {
    {"__dictoffset__", Py_T_PYSSIZET, offsetof(struct dict_object, dict), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static const PyType_Slot slots[] = {
    {Py_tp_members, members},
    {Py_tp_getset, getset},
    {0, NULL},
};

#define FAMILY(NAME, CODE)                                                                         \
    const struct variant_family variant_family_##NAME = {                                          \
        .code = CODE,                                                                              \
        .code_count = 1,                                                                           \
        .source = "gc_dictoffset",                                                                 \
        .head_bytes = sizeof(struct variant_object),                                               \
        .extra_bytes = sizeof(PyObject *),                                                         \
        .slots = slots,                                                                            \
        .set = variant_fields_set,                                                                 \
        .get = variant_fields_get,                                                                 \
    }

FAMILY(gc_dictoffset, gc_code);
FAMILY(plain_dictoffset, plain_code);
