/* clear_unshowable: its repr() takes fields for filled that tp_clear has emptied. */
#include "fault.h"

static PyObject *repr(PyObject *self)
{
    struct fault_object *object = (struct fault_object *)self;
    return PyUnicode_FromFormat("<holds a %s and a %s>", Py_TYPE(object->field[0])->tp_name,
                                Py_TYPE(object->field[1])->tp_name);
}

const PyType_Slot fault_clear_unshowable_slots[] = {
    {Py_tp_repr, (void *)repr},
    {0, NULL},
};
