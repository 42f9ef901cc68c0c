/* clear_misses: a cycle through the second field stays. */
#include "fault.h"

static int clear(PyObject *self)
{
    Py_CLEAR(((struct fault_object *)self)->field[0]);
    return 0;
}

const PyType_Slot fault_clear_misses_slots[] = {
    {Py_tp_clear, (void *)clear},
    {0, NULL},
};
