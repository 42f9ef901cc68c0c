/* gc_dict: gc1 with a managed instance dict, which the interpreter keeps before the object and
 * leaves to the type to visit and to clear. */
#include "variant_common.h"

#ifdef GCTAX_MANAGED_DICT
static int traverse(PyObject *self, visitproc visit, void *arg)
{
    int stop = GCTAX_VISIT_MANAGED_DICT(self, visit, arg);
    return stop != 0 ? stop : variant_visit(self, variant_fields(self), 1, visit, arg);
}

static int clear(PyObject *self)
{
    GCTAX_CLEAR_MANAGED_DICT(self);
    return variant_clear(variant_fields(self), 1);
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    GCTAX_CLEAR_MANAGED_DICT(self);
    variant_clear(variant_fields(self), 1);
    variant_free(self);
}

static const struct variant_code code[] = {
    {.fields = 1, .dealloc = dealloc, .traverse = traverse, .clear = clear},
};

static PyGetSetDef getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static const PyType_Slot slots[] = {{Py_tp_getset, getset}, {0, NULL}};

const struct variant_family variant_family_gc_dict = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .slots = slots,
    .set = variant_fields_set,
    .get = variant_fields_get,
};
#else
const struct variant_family variant_family_gc_dict = {.code = NULL};
#endif
