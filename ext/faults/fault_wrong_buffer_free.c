/* wrong_buffer_free: another allocator gets the buffer back than gave it. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyObject_Free(((struct fault_object *)self)->buffer);
    fault_release(self);
}

const PyType_Slot fault_wrong_buffer_free_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
