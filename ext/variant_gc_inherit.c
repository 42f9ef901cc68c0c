/* gc_inherit: a C subclass whose first field is its heap base's and the second its own. It leaves
 * to the base what is the base's, the visit of the type and the freeing included. */
#include "variant_common.h"

static int base_traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, variant_fields(self), 1, visit, arg);
}

static int base_clear(PyObject *self)
{
    return variant_clear(variant_fields(self), 1);
}

static void base_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_clear(variant_fields(self), 1);
    variant_free(self);
}

/* The slots are called through the base's type, as a base in another module has to be. Which type
 * is ours the functions themselves tell: an instance may be of a subclass. */
static int traverse(PyObject *self, visitproc visit, void *arg)
{
    PyTypeObject *type = Py_TYPE(self);
    while (type->tp_traverse != traverse)
        type = type->tp_base;
    Py_VISIT(variant_fields(self)[1]);
    return type->tp_base->tp_traverse(self, visit, arg);
}

static int clear(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    while (type->tp_clear != clear)
        type = type->tp_base;
    Py_CLEAR(variant_fields(self)[1]);
    return type->tp_base->tp_clear(self);
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    while (type->tp_dealloc != dealloc)
        type = type->tp_base;
    PyObject_GC_UnTrack(self);
    Py_CLEAR(variant_fields(self)[1]);
    type->tp_base->tp_dealloc(self);
}

static PyType_Slot base_slots[] = {
    {Py_tp_dealloc, (void *)base_dealloc},
    {Py_tp_traverse, (void *)base_traverse},
    {Py_tp_clear, (void *)base_clear},
    {0, NULL},
};

static PyType_Spec base_spec = {
    .name = "gctax_ext.gc_inherit_base",
    .basicsize = sizeof(struct variant_object) + sizeof(PyObject *),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = base_slots,
};

static PyTypeObject *make(PyObject *module, const struct variant *variant, const char *doc)
{
    PyObject *base = PyType_FromModuleAndSpec(module, &base_spec, NULL);
    PyObject *bases = base != NULL ? PyTuple_Pack(1, base) : NULL;
    PyTypeObject *type =
        bases != NULL ? variant_make_subtype(module, variant, doc, NULL, bases) : NULL;
    Py_XDECREF(bases);
    Py_XDECREF(base);
    return type;
}

static const struct variant_code code[] = {
    {.fields = 2, .dealloc = dealloc, .traverse = traverse, .clear = clear},
};

const struct variant_family variant_family_gc_inherit = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .make_type = make,
    .set = variant_fields_set,
    .get = variant_fields_get,
};
