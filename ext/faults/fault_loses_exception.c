/* loses_exception: an error on its way to the user disappears. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    fault_dealloc(self);
    PyErr_Clear();
}

const PyType_Slot fault_loses_exception_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
