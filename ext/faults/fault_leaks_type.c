/* leaks_type: as types were written up to 3.7. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    fault_clear(self);
    Py_TYPE(self)->tp_free(self);
}

const PyType_Slot fault_leaks_type_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
