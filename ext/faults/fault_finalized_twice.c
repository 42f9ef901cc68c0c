/* finalized_twice: the call from tp_dealloc does not look at the mark that the collector left. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    Py_SET_REFCNT(self, 1);
    Py_TYPE(self)->tp_finalize(self);
    if (Py_REFCNT(self) > 1) {
        Py_DECREF(self);
        return;
    }
    Py_SET_REFCNT(self, 0);
    fault_dealloc(self);
}

const PyType_Slot fault_finalized_twice_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
