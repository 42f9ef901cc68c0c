/* sound_buffer: a buffer beside the fields, from and to PyMem. */
#include "fault.h"

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = fault_new(type, args, kwargs);
    if (self == NULL)
        return NULL;
    ((struct fault_object *)self)->buffer = PyMem_Malloc(FAULT_BUFFER_BYTES);
    if (((struct fault_object *)self)->buffer != NULL)
        return self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, dealloc) PyMem_Free(((struct fault_object *)self)->buffer);
    fault_release(self);
    Py_TRASHCAN_END
}

const PyType_Slot fault_sound_buffer_slots[] = {
    {Py_tp_new, (void *)new},
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
