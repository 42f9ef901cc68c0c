/* sound_own_cycle: each instance refers to itself from its birth on, so that the collector alone
 * destroys it. */
#include "fault.h"

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = fault_new(type, args, kwargs);
    if (self != NULL)
        ((struct fault_object *)self)->dict = Py_NewRef(self);
    return self;
}

static void dealloc(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) < 0)
        return;
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, dealloc) PyObject_ClearWeakRefs(self);
    fault_release(self);
    Py_TRASHCAN_END
}

const PyType_Slot fault_sound_own_cycle_slots[] = {
    {Py_tp_new, (void *)new},
    {Py_tp_traverse, (void *)fault_traverse_dict},
    {Py_tp_clear, (void *)fault_clear_dict},
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
