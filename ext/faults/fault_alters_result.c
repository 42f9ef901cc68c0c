/* alters_result: what asked for the traversal gets another answer than its visitor gave. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    return fault_traverse(self, visit, arg) != 0 ? -1 : 0;
}

const PyType_Slot fault_alters_result_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {0, NULL},
};
