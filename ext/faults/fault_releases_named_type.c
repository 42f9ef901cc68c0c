/* releases_named_type: of an instance of a subclass in Python the subclass leaks, and the base dies
 * early. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self), *named = type;
    while (named->tp_dealloc != dealloc)
        named = named->tp_base;
    PyObject_GC_UnTrack(self);
    fault_clear(self);
    type->tp_free(self);
    Py_DECREF(named);
}

const PyType_Slot fault_releases_named_type_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
