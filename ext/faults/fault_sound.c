/* sound: the correct type that the others differ from. */
#include "fault.h"

const PyType_Slot fault_sound_slots[] = {{Py_tp_new, (void *)fault_new},
                                         {Py_tp_traverse, (void *)fault_traverse},
                                         {Py_tp_clear, (void *)fault_clear},
                                         {Py_tp_dealloc, (void *)fault_dealloc},
                                         {0, NULL}};
