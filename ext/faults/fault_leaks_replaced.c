/* leaks_replaced: what set() replaces is not released. */
#include "fault.h"

static PyObject *set(PyObject *self, PyObject *args)
{
    PyObject *number, *value;
    int index;
    if (!PyArg_ParseTuple(args, "OO:set", &number, &value) || (index = fault_index(number)) < 0)
        return NULL;
    ((struct fault_object *)self)->field[index] = Py_NewRef(value);
    return Py_NewRef(Py_None);
}

static PyMethodDef replaced[] = {
    FAULT_GET,
    {"set", set, METH_VARARGS, PyDoc_STR("set(i, value, /)\n--\n\nFill field i.")},
    {NULL, NULL, 0, NULL},
};

const PyType_Slot fault_leaks_replaced_slots[] = {
    {Py_tp_methods, (void *)replaced},
    {0, NULL},
};
