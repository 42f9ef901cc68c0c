/* finalizer_loses_exception: an error on its way to the user disappears. */
#include "fault.h"

static void finalize(PyObject *Py_UNUSED(self))
{
    PyErr_Clear();
}

const PyType_Slot fault_finalizer_loses_exception_slots[] = {{Py_tp_finalize, (void *)finalize},
                                                             {0, NULL}};
