/* finalizer_raises: it leaves an exception, and where one was in flight another. */
#include "fault.h"

static void finalize(PyObject *Py_UNUSED(self))
{
    PyErr_SetString(PyExc_RuntimeError, "raised by tp_finalize");
}

const PyType_Slot fault_finalizer_raises_slots[] = {
    {Py_tp_finalize, (void *)finalize},
    {0, NULL},
};
