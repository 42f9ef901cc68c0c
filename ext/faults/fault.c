#include "fault.h"

int fault_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct fault_object *object = (struct fault_object *)self;
    for (int i = 0; i < FAULT_FIELDS; i++)
        Py_VISIT(object->field[i]);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

int fault_clear(PyObject *self)
{
    struct fault_object *object = (struct fault_object *)self;
    for (int i = 0; i < FAULT_FIELDS; i++)
        Py_CLEAR(object->field[i]);
    return 0;
}

int fault_traverse_dict(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct fault_object *)self)->dict);
    return fault_traverse(self, visit, arg);
}

int fault_clear_dict(PyObject *self)
{
    Py_CLEAR(((struct fault_object *)self)->dict);
    return fault_clear(self);
}

void fault_release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    fault_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

void fault_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, fault_dealloc) fault_release(self);
    Py_TRASHCAN_END
}

void fault_finalize(PyObject *Py_UNUSED(self))
{
}

void fault_dealloc_finalized(PyObject *self)
{
    /* What the trashcan has put off comes here again, and is not finalized again. */
    if (PyObject_CallFinalizerFromDealloc(self) < 0)
        return;
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, fault_dealloc_finalized) fault_release(self);
    Py_TRASHCAN_END
}

PyObject *fault_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (PyTuple_GET_SIZE(args) != 0 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)) {
        PyErr_Format(PyExc_TypeError, "%s() takes no arguments", type->tp_name);
        return NULL;
    }
    return type->tp_alloc(type, 0);
}

void fault_empty(struct fault_object *self)
{
    for (int i = 0; i < FAULT_FIELDS; i++)
        self->field[i] = NULL;
    self->weaklist = self->dict = NULL;
    self->buffer = NULL;
}

traverseproc fault_base_traverse(PyObject *self, traverseproc own)
{
    PyTypeObject *type = Py_TYPE(self);
    while (type->tp_traverse != own)
        type = type->tp_base;
    return type->tp_base->tp_traverse;
}

PyObject *fault_get(PyObject *self, PyObject *number)
{
    int index = fault_index(number);
    if (index < 0)
        return NULL;
    PyObject *value;
    GCTAX_BEGIN_CRITICAL_SECTION(self);
    value = Py_XNewRef(((struct fault_object *)self)->field[index]);
    GCTAX_END_CRITICAL_SECTION();
    return value != NULL ? value : Py_NewRef(Py_None);
}

PyObject *fault_set(PyObject *self, PyObject *args)
{
    PyObject *number, *value, *old;
    int index;
    if (!PyArg_ParseTuple(args, "OO:set", &number, &value) || (index = fault_index(number)) < 0)
        return NULL;
    PyObject **field = &((struct fault_object *)self)->field[index];
    GCTAX_BEGIN_CRITICAL_SECTION(self);
    old = *field;
    *field = Py_NewRef(value);
    GCTAX_END_CRITICAL_SECTION();
    Py_XDECREF(old);
    return Py_NewRef(Py_None);
}

PyGetSetDef fault_dict_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int fault_index(PyObject *number)
{
    Py_ssize_t index = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred())
        return -1;
    if (index >= 0 && index < FAULT_FIELDS)
        return (int)index;
    PyErr_Format(PyExc_IndexError, "fields are 0 to %d, not %zd", FAULT_FIELDS - 1, index);
    return -1;
}
