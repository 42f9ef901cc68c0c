/* exact_only: the fields of an instance of a subclass in Python stay unseen. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    if (Py_TYPE(self)->tp_traverse == traverse)
        return fault_traverse(self, visit, arg);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

const PyType_Slot fault_exact_only_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {0, NULL},
};
