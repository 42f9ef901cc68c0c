/* goes_on: gc.get_referrers() and its like stop a traversal by the result. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct fault_object *object = (struct fault_object *)self;
    for (int i = 0; i < FAULT_FIELDS; i++) {
        if (object->field[i] != NULL)
            visit(object->field[i], arg);
    }
    Py_VISIT(Py_TYPE(self));
    return 0;
}

const PyType_Slot fault_goes_on_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
