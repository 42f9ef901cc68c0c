/* clear_late: what dies there still finds itself in the field. */
#include "fault.h"

static int clear(PyObject *self)
{
    struct fault_object *object = (struct fault_object *)self;
    for (int i = 0; i < FAULT_FIELDS; i++) {
        Py_XDECREF(object->field[i]);
        object->field[i] = NULL;
    }
    return 0;
}

const PyType_Slot fault_clear_late_slots[] = {{Py_tp_clear, (void *)clear}, {0, NULL}};
