/* gc_weak and gc_weaklist: gc1 that can be weakly referenced. The list of its references is kept by
 * the interpreter before the object, or in a member of the struct that the type names to it. */
#include "variant_common.h"

struct weaklist_object {
    PyObject_HEAD
    PyObject *field[1];
    PyObject *weaklist;
};

VARIANT_SHOW(1)

/* Weak references end while the instance is still whole: their callbacks run any code. */
static void weaklist_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    if (((struct weaklist_object *)self)->weaklist != NULL)
        PyObject_ClearWeakRefs(self);
    variant_clear(variant_fields(self), 1);
    variant_free(self);
}

static const struct variant_code weaklist_code[] = {
    {.fields = 1, .dealloc = weaklist_dealloc, .traverse = traverse_1, .clear = clear_1},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(struct weaklist_object, weaklist), Py_READONLY,
     NULL},
    {NULL, 0, 0, 0, NULL},
};

static const PyType_Slot weaklist_slots[] = {{Py_tp_members, members}, {0, NULL}};

const struct variant_family variant_family_gc_weaklist = {
    .code = weaklist_code,
    .code_count = 1,
    .source = "gc_weakref",
    .head_bytes = sizeof(struct variant_object),
    .extra_bytes = sizeof(PyObject *),
    .slots = weaklist_slots,
    .set = variant_fields_set,
    .get = variant_fields_get,
};

#ifdef GCTAX_MANAGED_WEAKREF
static void managed_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyObject_ClearWeakRefs(self);
    variant_clear(variant_fields(self), 1);
    variant_free(self);
}

static const struct variant_code managed_code[] = {
    {.fields = 1, .dealloc = managed_dealloc, .traverse = traverse_1, .clear = clear_1},
};

const struct variant_family variant_family_gc_weak = {
    .code = managed_code,
    .code_count = 1,
    .source = "gc_weakref",
    .head_bytes = sizeof(struct variant_object),
    .set = variant_fields_set,
    .get = variant_fields_get,
};
#else
const struct variant_family variant_family_gc_weak = {.code = NULL};
#endif
