/* releases_type_twice: the type dies while instances live. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    fault_dealloc(self);
    Py_DECREF(type);
}

const PyType_Slot fault_releases_type_twice_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
