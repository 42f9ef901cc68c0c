/* clear_nothing: a cycle is found again and again. */
#include "fault.h"

static int clear(PyObject *Py_UNUSED(self))
{
    return 0;
}

const PyType_Slot fault_clear_nothing_slots[] = {{Py_tp_clear, (void *)clear}, {0, NULL}};
