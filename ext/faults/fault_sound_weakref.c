/* sound_weakref: tp_dealloc clears the weak references before all else that may run code. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, dealloc) PyObject_ClearWeakRefs(self);
    fault_release(self);
    Py_TRASHCAN_END
}

const PyType_Slot fault_sound_weakref_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
