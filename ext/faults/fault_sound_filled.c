/* sound_filled: its fields hold None from the start. */
#include "fault.h"

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = fault_new(type, args, kwargs);
    for (int i = 0; self != NULL && i < FAULT_FIELDS; i++)
        ((struct fault_object *)self)->field[i] = Py_NewRef(Py_None);
    return self;
}

const PyType_Slot fault_sound_filled_slots[] = {
    {Py_tp_new, (void *)new},
    {0, NULL},
};
