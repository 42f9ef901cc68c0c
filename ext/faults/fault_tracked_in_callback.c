/* tracked_in_callback: a collection in code of Python's that tp_new calls meets a field that is no
 * pointer yet. */
#include "fault.h"

#define NOT_YET ((PyObject *)sizeof(PyObject))

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *copy = PyImport_ImportModule("copy");
    PyObject *self = copy != NULL ? fault_new(type, args, kwargs) : NULL;
    if (self != NULL) {
        PyObject **field = &((struct fault_object *)self)->field[0];
        *field = NOT_YET;
        PyObject *called = PyObject_CallMethod(copy, "copy", "O", Py_None);
        *field = NULL;
        if (called == NULL)
            Py_CLEAR(self);
        Py_XDECREF(called);
    }
    Py_XDECREF(copy);
    return self;
}

const PyType_Slot fault_tracked_in_callback_slots[] = {
    {Py_tp_new, (void *)new},
    {0, NULL},
};
