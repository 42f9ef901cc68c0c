/* visits_borrowed: the reference that the type has to its module is shown by each instance. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    if (fault_is_own_type(Py_TYPE(self))) /* of a Python subclass it would raise */
        Py_VISIT(PyType_GetModule(Py_TYPE(self)));
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_visits_borrowed_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
