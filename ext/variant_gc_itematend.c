/* gc_itematend and its Python subclass: items behind all that subclasses may add
 * (Py_TPFLAGS_ITEMS_AT_END), and a metaclass whose data says how many of them an instance has. The
 * metaclass is a heap type, too: what its instances owe it is theirs to visit and to release, as
 * `type` does neither. */
#include "variant_common.h"

#ifdef GCTAX_TYPE_DATA

/* ---- The metaclass --------------------------------------------------------------------------- */

/* What a class has beyond `type`. A subclass in Python starts with none and takes its base's. */
struct class_data {
    Py_ssize_t items;
};

static int class_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return PyType_Type.tp_traverse(self, visit, arg);
}

static int class_clear(PyObject *self)
{
    return PyType_Type.tp_clear(self);
}

static void class_dealloc(PyObject *self)
{
    PyTypeObject *metaclass = Py_TYPE(self);
    PyType_Type.tp_dealloc(self);
    Py_DECREF(metaclass);
}

static PyType_Slot class_slots[] = {
    {Py_tp_dealloc, (void *)class_dealloc},
    {Py_tp_traverse, (void *)class_traverse},
    {Py_tp_clear, (void *)class_clear},
    {0, NULL},
};

static PyType_Spec class_spec = {
    .name = "gctax_ext.gc_itematend_type",
    .basicsize = -(int)sizeof(struct class_data),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = class_slots,
};

static struct class_data *class_data(PyTypeObject *type)
{
    return PyObject_GetTypeData((PyObject *)type, Py_TYPE((PyObject *)type));
}

/* ---- The type -------------------------------------------------------------------------------- */

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return variant_visit(self, GCTAX_ITEM_DATA_DURING_GC(self), Py_SIZE(self), visit, arg);
}

static int clear(PyObject *self)
{
    return variant_clear(PyObject_GetItemData(self), Py_SIZE(self));
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    variant_clear(PyObject_GetItemData(self), Py_SIZE(self));
    variant_free(self);
}

static PyObject *create(PyTypeObject *type, int Py_UNUSED(fields))
{
    PyTypeObject *base = type;
    while (class_data(base)->items == 0)
        base = base->tp_base;
    return type->tp_alloc(type, class_data(base)->items);
}

static int set(PyObject *self, int field, PyObject *value)
{
    PyObject **place = (PyObject **)PyObject_GetItemData(self) + field;
    Py_XSETREF(*place, Py_XNewRef(value));
    return 0;
}

static PyObject *get(PyObject *self, int field)
{
    return ((PyObject **)PyObject_GetItemData(self))[field];
}

static PyTypeObject *make(PyObject *module, const struct variant *variant, const char *doc)
{
    PyTypeObject *metaclass =
        (PyTypeObject *)PyType_FromMetaclass(NULL, module, &class_spec, (PyObject *)&PyType_Type);
    if (metaclass == NULL)
        return NULL;
    PyTypeObject *type = variant_make_subtype(module, variant, doc, metaclass, NULL);
    if (type != NULL)
        class_data(type)->items = variant->fields;
    Py_DECREF(metaclass);
    return type;
}

static const struct variant_code code[] = {
    {.fields = 8, .dealloc = dealloc, .traverse = traverse, .clear = clear},
};

const struct variant_family variant_family_gc_itematend = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_var_object),
    .place = VARIANT_ITEMS_AT_END,
    .make_type = make,
    .create = create,
    .set = set,
    .get = get,
};

static PyTypeObject *make_subclass(PyObject *module, const struct variant *variant, const char *doc)
{
    return variant_make_python(module, variant, doc, "gc_itematend", "pass");
}

const struct variant_family variant_family_py_gc_itematend = {
    .source = "gc_itematend",
    .head_bytes = sizeof(struct variant_var_object),
    .place = VARIANT_ITEMS_AT_END,
    .extra_bytes = GCTAX_VAR_SUBCLASS_BYTES,
    .make_type = make_subclass,
    .create = create,
    .set = set,
    .get = get,
};
#else
const struct variant_family variant_family_gc_itematend = {.code = NULL};
const struct variant_family variant_family_py_gc_itematend = {.code = NULL};
#endif
