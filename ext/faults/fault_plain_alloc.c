/* plain_alloc: the collector finds what it keeps before an object in a neighbour's memory. Never
 * tracked, which would crash at once. */
#include "fault.h"

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (!fault_is_own_type(type))
        return fault_new(type, args, kwargs);
    struct fault_object *self = PyObject_New(struct fault_object, type);
    if (self != NULL)
        fault_empty(self);
    return (PyObject *)self;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (!fault_is_own_type(type)) {
        fault_dealloc(self);
        return;
    }
    fault_clear(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

const PyType_Slot fault_plain_alloc_slots[] = {
    {Py_tp_new, (void *)new},
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
