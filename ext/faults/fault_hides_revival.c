/* hides_revival: once finalized, an instance visits itself, which no field does: what its finalizer
 * brought back looks like garbage still. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    if (PyObject_GC_IsFinalized(self))
        Py_VISIT(self);
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_hides_revival_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {Py_tp_finalize, (void *)fault_finalize},
    {0, NULL},
};
