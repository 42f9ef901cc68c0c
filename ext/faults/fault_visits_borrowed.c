/* visits_borrowed: the reference that the type has to its module is shown by each instance. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    PyObject *module = PyType_GetModule(Py_TYPE(self)); /* borrowed */
    if (module == NULL)
        PyErr_Clear();
    Py_VISIT(module);
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_visits_borrowed_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
