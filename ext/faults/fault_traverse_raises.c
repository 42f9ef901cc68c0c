/* traverse_raises: nobody looks for an exception there. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "raised by tp_traverse");
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_traverse_raises_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
