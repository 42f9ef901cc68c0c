/* visits_twice: one reference, two visits. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct fault_object *object = (struct fault_object *)self;
    Py_VISIT(object->field[0]);
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_visits_twice_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
