/* tracked_death: a collection that a member starts as it dies meets a dead object. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    fault_release(self);
}

const PyType_Slot fault_tracked_death_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
