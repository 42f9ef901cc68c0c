/* tracked_early: a collection between tp_new and tp_init meets a field that is no pointer yet. */
#include "fault.h"

#define NOT_YET ((PyObject *)sizeof(PyObject))

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = fault_new(type, args, kwargs);
    if (self != NULL)
        ((struct fault_object *)self)->field[0] = NOT_YET;
    return self;
}

static int init(PyObject *self, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    ((struct fault_object *)self)->field[0] = NULL;
    return 0;
}

const PyType_Slot fault_tracked_early_slots[] = {
    {Py_tp_new, (void *)new},
    {Py_tp_init, (void *)init},
    {0, NULL},
};
