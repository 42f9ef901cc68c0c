/* leaks_temporary: each call of set() leaves a string behind. */
#include "fault.h"

static PyObject *set(PyObject *self, PyObject *args)
{
    if (PyUnicode_FromFormat("field %R", PyTuple_GET_ITEM(args, 0)) == NULL)
        return NULL;
    return fault_set(self, args);
}

static PyMethodDef replaced[] = {
    FAULT_GET,
    {"set", set, METH_VARARGS, PyDoc_STR("set(i, value, /)\n--\n\nFill field i.")},
    {NULL, NULL, 0, NULL},
};

const PyType_Slot fault_leaks_temporary_slots[] = {
    {Py_tp_methods, (void *)replaced},
    {0, NULL},
};
