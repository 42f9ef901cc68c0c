/* never_tracked: the collector does not know of the instance, nor of its cycles. */
#include "fault.h"

static PyObject *new (PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    struct fault_object *self = PyObject_GC_New(struct fault_object, type);
    if (self == NULL)
        return NULL;
    fault_empty(self);
    return (PyObject *)self;
}

const PyType_Slot fault_never_tracked_slots[] = {{Py_tp_new, (void *)new}, {0, NULL}};
