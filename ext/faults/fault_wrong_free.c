/* wrong_free: memory with a GC head is given back at the wrong address. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    fault_clear(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

const PyType_Slot fault_wrong_free_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
