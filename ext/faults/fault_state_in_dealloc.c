/* state_in_dealloc: where type and instance die together the type has no module any more. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    while (type->tp_dealloc != dealloc)
        type = type->tp_base; /* the one that has a module */
    struct fault_state *state = PyType_GetModuleState(type);
    GCTAX_COUNT(state->destroyed);
    fault_dealloc(self);
}

const PyType_Slot fault_state_in_dealloc_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
