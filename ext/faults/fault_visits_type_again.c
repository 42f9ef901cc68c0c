/* visits_type_again: the base, a heap type, has visited the type. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    int stop = fault_base_traverse(self, traverse)(self, visit, arg);
    if (stop != 0)
        return stop;
    Py_VISIT(Py_TYPE(self));
    return 0;
}

const PyType_Slot fault_visits_type_again_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {0, NULL},
};
