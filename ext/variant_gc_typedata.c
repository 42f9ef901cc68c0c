/* gc_typedata and its Python subclass: eight pointer fields whose place the interpreter chooses,
 * behind a base whose size need not be known when this is compiled (negative basicsize). Which type
 * the data belongs to the functions themselves tell: an instance may be of a subclass. */
#include "variant_common.h"

#ifdef GCTAX_TYPE_DATA
enum { FIELDS = 8 };

static void dealloc(PyObject *self);

VARIANT_INLINE PyTypeObject *owner(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    while (type->tp_dealloc != dealloc)
        type = type->tp_base;
    return type;
}

VARIANT_INLINE PyObject **data(PyObject *self)
{
    return PyObject_GetTypeData(self, owner(self));
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, GCTAX_TYPE_DATA_DURING_GC(self, owner(self)), FIELDS, visit, arg);
}

static int clear(PyObject *self)
{
    return variant_clear(data(self), FIELDS);
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_clear(data(self), FIELDS);
    variant_free(self);
}

static int set(PyObject *self, int field, PyObject *value)
{
    PyObject **place = &data(self)[field];
    Py_XSETREF(*place, Py_XNewRef(value));
    return 0;
}

static PyObject *get(PyObject *self, int field)
{
    return data(self)[field];
}

static const struct variant_code code[] = {
    {.fields = FIELDS, .dealloc = dealloc, .traverse = traverse, .clear = clear},
};

const struct variant_family variant_family_gc_typedata = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .place = VARIANT_TYPE_DATA,
    .set = set,
    .get = get,
};

static PyTypeObject *make_subclass(PyObject *module, const struct variant *variant, const char *doc)
{
    return variant_make_python(module, variant, doc, "gc_typedata", "pass");
}

const struct variant_family variant_family_py_gc_typedata = {
    .source = "gc_typedata",
    .head_bytes = sizeof(struct variant_object),
    .place = VARIANT_TYPE_DATA,
    .extra_bytes = GCTAX_SUBCLASS_BYTES,
    .make_type = make_subclass,
    .set = set,
    .get = get,
};
#else
const struct variant_family variant_family_gc_typedata = {.code = NULL};
const struct variant_family variant_family_py_gc_typedata = {.code = NULL};
#endif
