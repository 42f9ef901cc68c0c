/* visits_null: an instance is tracked before its fields are filled. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct fault_object *object = (struct fault_object *)self;
    for (int i = 0; i < FAULT_FIELDS; i++) {
        int stop = visit(object->field[i], arg);
        if (stop != 0)
            return stop;
    }
    Py_VISIT(Py_TYPE(self));
    return 0;
}

const PyType_Slot fault_visits_null_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
