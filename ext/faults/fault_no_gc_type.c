/* no_gc_type: what an instance keeps alive is its type, and with that the module. */
#include "fault.h"

const PyType_Slot fault_no_gc_type_slots[] = {
    {Py_tp_dealloc, (void *)fault_release},
    {0, NULL},
};
