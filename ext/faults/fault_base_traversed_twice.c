/* base_traversed_twice: everything that the base owns is visited twice. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    int stop = fault_base_traverse(self, traverse)(self, visit, arg);
    if (stop != 0)
        return stop;
    return fault_base_traverse(self, traverse)(self, visit, arg);
}

const PyType_Slot fault_base_traversed_twice_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {0, NULL},
};
