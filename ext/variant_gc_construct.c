/* gc_call, gc_init and gc_vectorcall: gc1 made by a call of its type, as Python code makes it, with
 * no, with one or with a payload in its field. They differ in the slots through which the call
 * goes; gc1 itself is made by tp_alloc, so that its own construction costs no call. */
#include "variant_common.h"

VARIANT_SHOW_AND_DEALLOC(1)

/* Of `count` positional arguments and some keywords: 0, or -1 with a TypeError. */
VARIANT_INLINE int check(PyTypeObject *type, Py_ssize_t count, Py_ssize_t keywords)
{
    if (count <= 1 && keywords == 0)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s() takes one positional argument at most", type->tp_name);
    return -1;
}

VARIANT_INLINE PyObject *make(PyTypeObject *type, PyObject *payload)
{
    PyObject *self = type->tp_alloc(type, 0);
    if (self != NULL)
        variant_fields(self)[0] = Py_XNewRef(payload);
    return self;
}

static PyObject *new_payload(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (check(type, count, kwargs != NULL ? PyDict_GET_SIZE(kwargs) : 0) < 0)
        return NULL;
    return make(type, count == 1 ? PyTuple_GET_ITEM(args, 0) : NULL);
}

static PyObject *new_empty(PyTypeObject *type, PyObject *Py_UNUSED(args),
                           PyObject *Py_UNUSED(kwargs))
{
    return make(type, NULL);
}

/* May be called again and again, as any __init__. */
static int init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (check(Py_TYPE(self), count, kwargs != NULL ? PyDict_GET_SIZE(kwargs) : 0) < 0)
        return -1;
    return variant_fields_set(self, 0, count == 1 ? PyTuple_GET_ITEM(args, 0) : NULL);
}

static PyObject *vectorcall(PyObject *callable, PyObject *const *args, size_t flags,
                            PyObject *keywords)
{
    PyTypeObject *type = (PyTypeObject *)callable;
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (check(type, count, keywords != NULL ? PyTuple_GET_SIZE(keywords) : 0) < 0)
        return NULL;
    return make(type, count == 1 ? args[0] : NULL);
}

/* The slot in a spec is new in 3.14, the member of the type is not. Subclasses do not inherit it.
 */
static PyTypeObject *make_vectorcall(PyObject *module, const struct variant *variant,
                                     const char *doc)
{
    PyTypeObject *type = variant_make_type(module, variant, doc);
    if (type != NULL)
        type->tp_vectorcall = vectorcall;
    return type;
}

static const struct variant_code code[] = {VARIANT_CODE(1)};

static const PyType_Slot call_slots[] = {{Py_tp_new, (void *)new_payload}, {0, NULL}};
static const PyType_Slot init_slots[] = {
    {Py_tp_new, (void *)new_empty},
    {Py_tp_init, (void *)init},
    {0, NULL},
};

#define FAMILY(NAME, ...)                                                                          \
    const struct variant_family variant_family_##NAME = {                                          \
        .code = code,                                                                              \
        .code_count = sizeof code / sizeof *code,                                                  \
        .source = "gc_construct",                                                                  \
        .head_bytes = sizeof(struct variant_object),                                               \
        .create = variant_call_create,                                                             \
        .set = variant_fields_set,                                                                 \
        .get = variant_fields_get,                                                                 \
        __VA_ARGS__,                                                                               \
    }

FAMILY(gc_call, .slots = call_slots, .call = "tp_new");
FAMILY(gc_init, .slots = init_slots, .call = "tp_new+tp_init");
FAMILY(gc_vectorcall, .slots = call_slots, .make_type = make_vectorcall, .call = "vectorcall");
