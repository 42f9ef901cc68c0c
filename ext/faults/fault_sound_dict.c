/* sound_dict: attributes in a dict that it owns beside its fields. */
#include "fault.h"

#include <stddef.h>

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct fault_object *)self)->dict);
    return fault_traverse(self, visit, arg);
}

static int clear(PyObject *self)
{
    Py_CLEAR(((struct fault_object *)self)->dict);
    return fault_clear(self);
}

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
    {Py_tp_traverse, (void *)traverse},        {Py_tp_clear, (void *)clear},
    {Py_tp_dealloc, (void *)dealloc},          {Py_tp_members, (void *)members},
    {Py_tp_getset, (void *)fault_dict_getset}, {0, NULL},
};
