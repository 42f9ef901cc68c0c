/* base_not_traversed: what the base owns stays unseen. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

const PyType_Slot fault_base_not_traversed_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {0, NULL},
};
