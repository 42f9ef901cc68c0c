/* sound_derived: its base, a heap type, visits fields and type. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return fault_base_traverse(self, traverse)(self, visit, arg);
}

const PyType_Slot fault_sound_derived_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {Py_tp_clear, (void *)fault_clear},
    {Py_tp_dealloc, (void *)fault_dealloc},
    {0, NULL},
};
