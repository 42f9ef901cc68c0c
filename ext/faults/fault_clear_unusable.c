/* clear_unusable: a method takes fields for filled that tp_clear has emptied. */
#include "fault.h"

static PyObject *get(PyObject *self, PyObject *number)
{
    int index = fault_index(number);
    return index < 0 ? NULL : Py_NewRef(((struct fault_object *)self)->field[index]);
}

static PyMethodDef replaced[] = {
    {"get", get, METH_O, PyDoc_STR("get(i, /)\n--\n\nWhat field i holds.")},
    FAULT_SET,
    {NULL, NULL, 0, NULL},
};

const PyType_Slot fault_clear_unusable_slots[] = {
    {Py_tp_methods, (void *)replaced},
    {0, NULL},
};
