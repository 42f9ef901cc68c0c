/* sound_lazy: untracked until it holds something that may close a cycle. An instance of a subclass
 * in Python is tracked from birth: it may have a dict. */
#include "fault.h"

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = fault_new(type, args, kwargs);
    if (self != NULL && fault_is_own_type(type))
        PyObject_GC_UnTrack(self);
    return self;
}

static PyObject *set(PyObject *self, PyObject *args)
{
    PyObject *done = fault_set(self, args);
    if (done != NULL && PyObject_IS_GC(PyTuple_GET_ITEM(args, 1)) && !PyObject_GC_IsTracked(self))
        PyObject_GC_Track(self);
    return done;
}

static PyMethodDef replaced[] = {
    FAULT_GET,
    {"set", set, METH_VARARGS, PyDoc_STR("set(i, value, /)\n--\n\nFill field i.")},
    {NULL, NULL, 0, NULL},
};

const PyType_Slot fault_sound_lazy_slots[] = {
    {Py_tp_new, (void *)new},
    {Py_tp_methods, (void *)replaced},
    {0, NULL},
};
