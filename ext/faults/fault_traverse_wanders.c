/* traverse_wanders: the collector traverses more than once and compares. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    static unsigned calls;
    if (calls++ % 2 == 1) {
        Py_VISIT(Py_TYPE(self));
        return 0;
    }
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_traverse_wanders_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
