/* traverse_loses_exception: an error on its way to the user disappears. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    PyErr_Clear();
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_traverse_loses_exception_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {0, NULL},
};
