/* tracked_twice: tp_alloc has tracked it. */
#include "fault.h"

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = fault_new(type, args, kwargs);
    if (self != NULL)
        PyObject_GC_Track(self);
    return self;
}

const PyType_Slot fault_tracked_twice_slots[] = {
    {Py_tp_new, (void *)new},
    {0, NULL},
};
