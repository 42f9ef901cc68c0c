/* keeps_weakrefs: a weak reference leads to freed memory. */
#include "fault.h"

const PyType_Slot fault_keeps_weakrefs_slots[] = {{Py_tp_dealloc, (void *)fault_dealloc},
                                                  {0, NULL}};
