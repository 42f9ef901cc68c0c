/* sound_finalizer: tp_dealloc calls a tp_finalize. */
#include "fault.h"

const PyType_Slot fault_sound_finalizer_slots[] = {{Py_tp_finalize, (void *)fault_finalize},
                                                   {Py_tp_dealloc, (void *)fault_dealloc_finalized},
                                                   {0, NULL}};
