/* traverse_increfs: the collector subtracts visits from counts; they must stand still. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct fault_object *object = (struct fault_object *)self;
    Py_XINCREF(object->field[0]);
    return fault_traverse(self, visit, arg);
}

const PyType_Slot fault_traverse_increfs_slots[] = {{Py_tp_traverse, (void *)traverse}, {0, NULL}};
