/* no_trashcan: a long chain dies in as deep a recursion. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    fault_release(self);
}

const PyType_Slot fault_no_trashcan_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
