/* replaces_early: what dies there still finds itself in the field. */
#include "fault.h"

static PyObject *set(PyObject *self, PyObject *args)
{
    PyObject *number, *value;
    int index;
    if (!PyArg_ParseTuple(args, "OO:set", &number, &value) || (index = fault_index(number)) < 0)
        return NULL;
    PyObject **field = &((struct fault_object *)self)->field[index];
    GCTAX_BEGIN_CRITICAL_SECTION(self);
    Py_XDECREF(*field);
    *field = Py_NewRef(value);
    GCTAX_END_CRITICAL_SECTION();
    return Py_NewRef(Py_None);
}

static PyMethodDef replaced[] = {
    {"set", set, METH_VARARGS, PyDoc_STR("set(i, value, /)\n--\n\nFill field i.")},
    {NULL, NULL, 0, NULL},
};

const PyType_Slot fault_replaces_early_slots[] = {{Py_tp_methods, (void *)replaced}, {0, NULL}};
