/* dealloc_raises: an error appears where nothing was called. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    fault_dealloc(self);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "raised by tp_dealloc");
}

const PyType_Slot fault_dealloc_raises_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
