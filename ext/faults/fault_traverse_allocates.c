/* traverse_allocates: an allocation inside a collection. */
#include "fault.h"

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    void *block = PyMem_Malloc(32);
    int stop = fault_traverse(self, visit, arg);
    PyMem_Free(block);
    return stop;
}

const PyType_Slot fault_traverse_allocates_slots[] = {{Py_tp_traverse, (void *)traverse},
                                                      {0, NULL}};
