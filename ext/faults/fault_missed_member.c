/* missed_member: a cycle through the second field stays. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct fault_object *object = (struct fault_object *)self;
    Py_VISIT(object->field[0]);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

const PyType_Slot fault_missed_member_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
