/* sound_empty: holds nothing but its type. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

const PyType_Slot fault_sound_empty_slots[] = {
    {Py_tp_new, (void *)fault_new},
    {Py_tp_traverse, (void *)traverse},
    {Py_tp_dealloc, (void *)fault_dealloc},
    {0, NULL},
};
