/* ignores_revival: an instance that its finalizer brought back is freed. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    (void)PyObject_CallFinalizerFromDealloc(self);
    fault_dealloc(self);
}

const PyType_Slot fault_ignores_revival_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
