/* stops_at_null: with the first field empty the second is not visited. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct fault_object *object = (struct fault_object *)self;
    Py_VISIT(Py_TYPE(self));
    for (int i = 0; i < FAULT_FIELDS; i++) {
        if (object->field[i] == NULL)
            return 0;
        Py_VISIT(object->field[i]);
    }
    return 0;
}

const PyType_Slot fault_stops_at_null_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {0, NULL},
};
