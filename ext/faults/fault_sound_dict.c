/* sound_dict: attributes in a dict that it owns beside its fields. */
#include "fault.h"

#include <stddef.h>

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, dealloc) Py_CLEAR(((struct fault_object *)self)->dict);
    fault_release(self);
    Py_TRASHCAN_END
}

static PyMemberDef members[] = {
    {"__dictoffset__", Py_T_PYSSIZET, offsetof(struct fault_object, dict), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

const PyType_Slot fault_sound_dict_slots[] = {
    {Py_tp_traverse, (void *)fault_traverse_dict},
    {Py_tp_clear, (void *)fault_clear_dict},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_members, (void *)members},
    {Py_tp_getset, (void *)fault_dict_getset},
    {0, NULL},
};
