/* visits_mro: a tuple that the type owns is shown by each instance. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self)->tp_mro);
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_visits_mro_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {0, NULL},
};
