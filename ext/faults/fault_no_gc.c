/* no_gc: two fields, and unknown to the collector. */
#include "fault.h"

const PyType_Slot fault_no_gc_slots[] = {
    {Py_tp_dealloc, (void *)fault_release},
    {0, NULL},
};
