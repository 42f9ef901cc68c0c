/* leaks_raw_memory: memory of the C library's, which no allocator of the interpreter counts, stays.
 */
#include "fault.h"

#include <stdlib.h>
#include <string.h>

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = fault_new(type, args, kwargs);
    char *buffer = self != NULL ? malloc(FAULT_BUFFER_BYTES) : NULL;
    if (buffer != NULL)
        memset(buffer, 1, FAULT_BUFFER_BYTES); /* so that it becomes resident */
    if (self != NULL)
        ((struct fault_object *)self)->buffer = buffer;
    return self;
}

const PyType_Slot fault_leaks_raw_memory_slots[] = {
    {Py_tp_new, (void *)new},
    {0, NULL},
};
