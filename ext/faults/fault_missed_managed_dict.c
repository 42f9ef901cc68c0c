/* missed_managed_dict: attributes are not shown to the collector. */
#include "fault.h"

#ifdef GCTAX_MANAGED_DICT

const PyType_Slot fault_missed_managed_dict_slots[] = {
    {Py_tp_traverse, (void *)fault_traverse},
    {0, NULL},
};
#else
const PyType_Slot fault_missed_managed_dict_slots[] = {{0, NULL}};
#endif
