/* leaks_member: what the second field holds outlives the instance. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(((struct fault_object *)self)->field[0]);
    type->tp_free(self);
    Py_DECREF(type);
}

const PyType_Slot fault_leaks_member_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
