/* races: two threads in set() release the same value: one waits between reading and replacing it.
 */
#include "fault.h"

#include <sched.h>

static PyObject *set(PyObject *self, PyObject *args)
{
    PyObject *number, *value;
    int index;
    if (!PyArg_ParseTuple(args, "OO:set", &number, &value) || (index = fault_index(number)) < 0)
        return NULL;
    PyObject **field = &((struct fault_object *)self)->field[index];
    PyObject *old = *field;
    Py_BEGIN_ALLOW_THREADS sched_yield();
    Py_END_ALLOW_THREADS *field = Py_NewRef(value);
    Py_XDECREF(old);
    return Py_NewRef(Py_None);
}

static PyMethodDef replaced[] = {
    FAULT_GET,
    {"set", set, METH_VARARGS, PyDoc_STR("set(i, value, /)\n--\n\nFill field i.")},
    {NULL, NULL, 0, NULL},
};

const PyType_Slot fault_races_slots[] = {
    {Py_tp_methods, (void *)replaced},
    {0, NULL},
};
