/* missed_type: as types were written up to 3.8, where an instance did not own its type. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct fault_object *object = (struct fault_object *)self;
    for (int i = 0; i < FAULT_FIELDS; i++)
        Py_VISIT(object->field[i]);
    return 0;
}

const PyType_Slot fault_missed_type_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
