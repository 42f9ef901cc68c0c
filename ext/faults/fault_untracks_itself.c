/* untracks_itself: a field that holds a string says nothing about the other one. */
#include "fault.h"

static PyObject *set(PyObject *self, PyObject *args)
{
    PyObject *done = fault_set(self, args);
    if (done == NULL || !fault_is_own_type(Py_TYPE(self)))
        return done;
    bool atomic = !PyObject_IS_GC(PyTuple_GET_ITEM(args, 1));
    if (atomic && PyObject_GC_IsTracked(self))
        PyObject_GC_UnTrack(self);
    else if (!atomic && !PyObject_GC_IsTracked(self))
        PyObject_GC_Track(self);
    return done;
}

static PyMethodDef replaced[] = {
    FAULT_GET,
    {"set", set, METH_VARARGS, PyDoc_STR("set(i, value, /)\n--\n\nFill field i.")},
    {NULL, NULL, 0, NULL},
};

const PyType_Slot fault_untracks_itself_slots[] = {
    {Py_tp_methods, (void *)replaced},
    {0, NULL},
};
