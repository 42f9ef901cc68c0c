/* clear_undestroyable: tp_dealloc takes fields for filled that tp_clear has emptied. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, dealloc) struct fault_object *object = (struct fault_object *)self;
    for (int i = 0; i < FAULT_FIELDS; i++)
        Py_DECREF(object->field[i]);
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

const PyType_Slot fault_clear_undestroyable_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
