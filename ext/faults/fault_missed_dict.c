/* missed_dict: attributes are not shown to the collector. */
#include "fault.h"

const PyType_Slot fault_missed_dict_slots[] = {
    {Py_tp_traverse, (void *)fault_traverse},
    {0, NULL},
};
