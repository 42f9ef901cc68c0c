/* no_clear: a cycle of such instances stays. */
#include "fault.h"

const PyType_Slot fault_no_clear_slots[] = {{Py_tp_clear, NULL}, {0, NULL}};
