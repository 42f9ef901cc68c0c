/* reports_exception: an error of the caller's is taken for one of tp_dealloc's own. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    fault_dealloc(self);
    if (PyErr_Occurred())
        PyErr_WriteUnraisable(NULL);
}

const PyType_Slot fault_reports_exception_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
