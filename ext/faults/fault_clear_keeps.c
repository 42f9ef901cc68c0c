/* clear_keeps: released once more by the next tp_clear or tp_dealloc. */
#include "fault.h"

static int clear(PyObject *self)
{
    struct fault_object *object = (struct fault_object *)self;
    Py_XDECREF(object->field[0]);
    Py_CLEAR(object->field[1]);
    return 0;
}

const PyType_Slot fault_clear_keeps_slots[] = {{Py_tp_clear, (void *)clear}, {0, NULL}};
