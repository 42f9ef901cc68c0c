/* leaks_buffer: memory grows with each instance, whatever the collector does. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    fault_release(self);
}

const PyType_Slot fault_leaks_buffer_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
