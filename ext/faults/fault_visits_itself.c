/* visits_itself: an instance that is held from outside looks like garbage. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(self);
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_visits_itself_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {0, NULL},
};
