/* tracked_half_way: a collection that an allocation of tp_new asks for meets a field that is no
 * pointer yet. */
#include "fault.h"

#define NOT_YET ((PyObject *)sizeof(PyObject))

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = fault_new(type, args, kwargs);
    if (self == NULL)
        return NULL;
    PyObject **field = &((struct fault_object *)self)->field[0];
    *field = NOT_YET;
    PyObject *set = PySet_New(NULL);
    int failed = set == NULL || PyErr_CheckSignals() < 0;
    *field = NULL;
    Py_XDECREF(set);
    if (failed)
        Py_CLEAR(self);
    return self;
}

const PyType_Slot fault_tracked_half_way_slots[] = {
    {Py_tp_new, (void *)new},
    {0, NULL},
};
