/* clear_raises: the collector can hand the exception to nobody. */
#include "fault.h"

static int clear(PyObject *self)
{
    fault_clear(self);
    PyErr_SetString(PyExc_RuntimeError, "raised by tp_clear");
    return 0;
}

const PyType_Slot fault_clear_raises_slots[] = {{Py_tp_clear, (void *)clear}, {0, NULL}};
