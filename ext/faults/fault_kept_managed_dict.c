/* kept_managed_dict: attributes are not cleared: a cycle through them stays. */
#include "fault.h"

#ifdef GCTAX_MANAGED_DICT

const PyType_Slot fault_kept_managed_dict_slots[] = {
    {Py_tp_clear, (void *)fault_clear},
    {0, NULL},
};
#else
const PyType_Slot fault_kept_managed_dict_slots[] = {{0, NULL}};
#endif
