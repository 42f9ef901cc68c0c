/* sound_freed_first: tp_dealloc gives its memory back before it releases what lay there. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    struct fault_object copy = *(struct fault_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    type->tp_free(self);
    for (int i = 0; i < FAULT_FIELDS; i++)
        Py_XDECREF(copy.field[i]);
    Py_DECREF(type);
}

const PyType_Slot fault_sound_freed_first_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
