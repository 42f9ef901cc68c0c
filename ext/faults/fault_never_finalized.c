/* never_finalized: only the collector calls the finalizer. */
#include "fault.h"

const PyType_Slot fault_never_finalized_slots[] = {{Py_tp_dealloc, (void *)fault_dealloc},
                                                   {0, NULL}};
