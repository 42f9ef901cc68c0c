/* finalizer_keeps: a reference that nobody releases brings each instance back for good. */
#include "fault.h"

static void finalize(PyObject *self)
{
    Py_INCREF(self);
}

const PyType_Slot fault_finalizer_keeps_slots[] = {
    {Py_tp_finalize, (void *)finalize},
    {0, NULL},
};
