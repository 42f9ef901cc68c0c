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
    fault_release(self);
}

void fault_finalize(PyObject *Py_UNUSED(self))
{
}

void fault_dealloc_finalized(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) < 0)
        return;
    fault_dealloc(self);
}

PyObject *fault_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (PyTuple_GET_SIZE(args) != 0 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)) {
        PyErr_Format(PyExc_TypeError, "%s() takes no arguments", type->tp_name);
        return NULL;
    }
    return type->tp_alloc(type, 0);
}

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
