/* leaks_managed_dict: attributes outlive the instance. */
#include "fault.h"

#ifdef GCTAX_MANAGED_DICT

const PyType_Slot fault_leaks_managed_dict_slots[] = {
    {Py_tp_dealloc, (void *)fault_dealloc},
    {0, NULL},
};
#else
const PyType_Slot fault_leaks_managed_dict_slots[] = {{0, NULL}};
#endif
