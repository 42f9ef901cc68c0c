/* no_gc_dict: attributes take anything, and the collector does not see them. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    Py_CLEAR(((struct fault_object *)self)->dict);
    fault_release(self);
}

const PyType_Slot fault_no_gc_dict_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
