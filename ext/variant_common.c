/* The making of a type from its row, and what Python sees of it: NAME(*payloads), get(i), set(i,
 * o). */
#include "variant_common.h"

#include <string.h>

uint64_t variant_destroyed;

int variant_fields_set(PyObject *self, int field, PyObject *value)
{
    PyObject **place = &variant_fields(self)[field];
    Py_XSETREF(*place, Py_XNewRef(value));
    return 0;
}

PyObject *variant_fields_get(PyObject *self, int field)
{
    return variant_fields(self)[field];
}

int variant_items_set(PyObject *self, int field, PyObject *value)
{
    PyObject **place = &variant_items(self)[field];
    Py_XSETREF(*place, Py_XNewRef(value));
    return 0;
}

PyObject *variant_items_get(PyObject *self, int field)
{
    return variant_items(self)[field];
}

PyObject *variant_items_create(PyTypeObject *type, int fields)
{
    return type->tp_alloc(type, fields);
}

PyObject *variant_call_create(PyTypeObject *type, int Py_UNUSED(fields))
{
    return PyObject_CallNoArgs((PyObject *)type);
}

PyObject *variant_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const struct variant *variant = variant_of(type);
    if (variant == NULL)
        return NULL;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) {
        PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", variant->name);
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count > variant_fields_held(variant)) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d arguments (%zd given)", variant->name,
                     variant_fields_held(variant), count);
        return NULL;
    }
    const struct variant_family *family = variant->family;
    PyObject *self =
        family->create != NULL ? family->create(type, variant->fields) : type->tp_alloc(type, 0);
    for (Py_ssize_t i = 0; self != NULL && i < count; i++) {
        if (family->set(self, (int)i, PyTuple_GET_ITEM(args, i)) < 0)
            Py_CLEAR(self);
    }
    return self;
}

/* Reads the field number of get() and set() into *field. -1 with an exception. */
static int parse_field(const struct variant *variant, PyObject *number, int *field)
{
    Py_ssize_t index = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred())
        return -1;
    if (index < 0 || index >= variant_fields_held(variant)) {
        PyErr_Format(PyExc_IndexError, "%s has %d fields from 0 on, no field %zd", variant->name,
                     variant_fields_held(variant), index);
        return -1;
    }
    *field = (int)index;
    return 0;
}

static PyObject *method_get(PyObject *self, PyObject *number)
{
    const struct variant *variant = variant_of(Py_TYPE(self));
    int field;
    if (variant == NULL || parse_field(variant, number, &field) < 0)
        return NULL;
    PyObject *value;
    GCTAX_BEGIN_CRITICAL_SECTION(self);
    value = Py_XNewRef(variant->family->get(self, field));
    GCTAX_END_CRITICAL_SECTION();
    return value != NULL ? value : Py_NewRef(Py_None);
}

static PyObject *method_set(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    const struct variant *variant = variant_of(Py_TYPE(self));
    int field;
    if (variant == NULL)
        return NULL;
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "%s.set() takes 2 arguments (%zd given)", variant->name,
                     count);
        return NULL;
    }
    if (parse_field(variant, args[0], &field) < 0)
        return NULL;
    int failed;
    GCTAX_BEGIN_CRITICAL_SECTION(self);
    failed = variant->family->set(self, field, args[1]);
    GCTAX_END_CRITICAL_SECTION();
    return failed < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"set", (PyCFunction)(void (*)(void))method_set, METH_FASTCALL,
     PyDoc_STR("set(i, value, /)\n--\n\nLet pointer field i hold value.")},
    {"get", method_get, METH_O,
     PyDoc_STR("get(i, /)\n--\n\nWhat pointer field i holds; None where it is empty.")},
    {NULL, NULL, 0, NULL},
};

/* A type whose fields only the constructor sets has those from the second on. */
static PyMethodDef *methods_of(const struct variant *variant)
{
    bool fixed = variant->family->set == NULL && variant->family->get != NULL;
    return fixed ? methods + 1 : methods;
}

static bool is(const char *trait, const char *value)
{
    return trait != NULL && strcmp(trait, value) == 0;
}

static size_t field_bytes(const struct variant *variant)
{
    return (size_t)variant->fields * sizeof(PyObject *);
}

static Py_ssize_t item_size(const struct variant *variant)
{
    enum variant_place place = variant->family->place;
    return place == VARIANT_ITEMS || place == VARIANT_ITEMS_AT_END ? (Py_ssize_t)sizeof(PyObject *)
                                                                   : 0;
}

/* The basicsize of a spec, negative for what comes behind the base's. */
static int basic_size(const struct variant *variant)
{
    const struct variant_family *family = variant->family;
    if (family->place == VARIANT_FIELDS)
        return (int)(family->head_bytes + field_bytes(variant) + family->extra_bytes);
    return family->place == VARIANT_TYPE_DATA ? -(int)field_bytes(variant)
                                              : (int)family->head_bytes;
}

size_t variant_bytes(const struct variant *variant)
{
    const struct variant_row *row = variant->row;
    size_t bytes =
        variant->family->head_bytes + field_bytes(variant) + variant->family->extra_bytes;
    if (!is(row->collector, "no"))
        bytes += GCTAX_GC_HEAD_BYTES;
    if (is(row->dict, "managed") || is(row->weakref, "managed"))
        bytes += GCTAX_PRE_HEADER_BYTES;
    return bytes;
}

static unsigned type_flags(const struct variant *variant)
{
    const struct variant_row *row = variant->row;
    unsigned long flags = Py_TPFLAGS_DEFAULT;
    if (!variant->family->final)
        flags |= Py_TPFLAGS_BASETYPE;
    if (!is(row->collector, "no"))
        flags |= Py_TPFLAGS_HAVE_GC;
#ifdef GCTAX_MANAGED_DICT
    if (is(row->dict, "managed"))
        flags |= Py_TPFLAGS_MANAGED_DICT;
#endif
#ifdef GCTAX_IMMUTABLE_TYPES
    if (is(row->kind, "immutable"))
        flags |= Py_TPFLAGS_IMMUTABLETYPE;
#endif
#ifdef GCTAX_MANAGED_WEAKREF
    if (is(row->weakref, "managed"))
        flags |= Py_TPFLAGS_MANAGED_WEAKREF;
#endif
#ifdef GCTAX_TYPE_DATA
    if (variant->family->place == VARIANT_ITEMS_AT_END)
        flags |= Py_TPFLAGS_ITEMS_AT_END;
#endif
    return (unsigned)flags;
}

static const struct variant_code *code_of(const struct variant *variant)
{
    const struct variant_family *family = variant->family;
    for (size_t i = 0; i < family->code_count; i++) {
        int fields = family->code[i].fields;
        if (fields == variant->fields || fields == VARIANT_ANY_FIELDS)
            return &family->code[i];
    }
    PyErr_Format(PyExc_SystemError, "%s has no code for %d fields", variant->row->family,
                 variant->fields);
    return NULL;
}

enum { MAX_SLOTS = 24 };

/* Adds a slot unless its function is missing or the slot is there already. */
static size_t add_slot(PyType_Slot *slots, size_t count, int number, void *function)
{
    if (function == NULL || count == MAX_SLOTS - 1)
        return count;
    for (size_t i = 0; i < count; i++) {
        if (slots[i].slot == number)
            return count;
    }
    slots[count] = (PyType_Slot){number, function};
    return count + 1;
}

PyTypeObject *variant_make_type(PyObject *module, const struct variant *variant, const char *doc)
{
    return variant_make_subtype(module, variant, doc, NULL, NULL);
}

PyTypeObject *variant_make_subtype(PyObject *module, const struct variant *variant, const char *doc,
                                   PyTypeObject *metaclass, PyObject *bases)
{
    const struct variant_family *family = variant->family;
    const struct variant_code *code = code_of(variant);
    if (code == NULL)
        return NULL;
    PyType_Slot slots[MAX_SLOTS] = {{0, NULL}};
    size_t count = 0;
    for (const PyType_Slot *slot = family->slots; slot != NULL && slot->slot != 0; slot++)
        count = add_slot(slots, count, slot->slot, slot->pfunc);
    count = add_slot(slots, count, Py_tp_dealloc, (void *)code->dealloc);
    count = add_slot(slots, count, Py_tp_traverse, (void *)code->traverse);
    count = add_slot(slots, count, Py_tp_clear, (void *)code->clear);
    count = add_slot(slots, count, Py_tp_new, (void *)variant_new);
    count = add_slot(slots, count, Py_tp_methods, methods_of(variant));
    add_slot(slots, count, Py_tp_doc, (void *)doc);
    PyType_Spec spec = {
        .name = variant->qualname,
        .basicsize = basic_size(variant),
        .itemsize = (int)item_size(variant),
        .flags = type_flags(variant),
        .slots = slots,
    };
#ifdef GCTAX_METACLASSES
    if (metaclass != NULL)
        return (PyTypeObject *)PyType_FromMetaclass(metaclass, module, &spec, bases);
#else
    (void)metaclass;
#endif
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, bases);
}

PyTypeObject *variant_make_static(PyTypeObject *type, const struct variant *variant,
                                  const char *doc)
{
    if (PyType_HasFeature(type, Py_TPFLAGS_READY))
        return (PyTypeObject *)Py_NewRef(type);
    const struct variant_code *code = code_of(variant);
    if (code == NULL)
        return NULL;
    size_t size = strlen(doc) + 1;
    char *kept = PyMem_RawMalloc(size); /* the type's, for as long as the process lives */
    if (kept == NULL)
        return (PyTypeObject *)PyErr_NoMemory();
    type->tp_doc = memcpy(kept, doc, size);
    type->tp_basicsize = basic_size(variant);
    type->tp_itemsize = item_size(variant);
    type->tp_flags = type_flags(variant);
    type->tp_dealloc = code->dealloc;
    type->tp_traverse = code->traverse;
    type->tp_clear = code->clear;
    type->tp_new = variant_new;
    type->tp_methods = methods_of(variant);
    return PyType_Ready(type) < 0 ? NULL : (PyTypeObject *)Py_NewRef(type);
}
