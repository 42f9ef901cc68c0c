/* sound_managed_dict: attributes in a dict that the interpreter keeps. */
#include "fault.h"

#ifdef GCTAX_MANAGED_DICT
static int traverse(PyObject *self, visitproc visit, void *arg)
{
    int stop = GCTAX_VISIT_MANAGED_DICT(self, visit, arg);
    return stop != 0 ? stop : fault_traverse(self, visit, arg);
}

static int clear(PyObject *self)
{
    GCTAX_CLEAR_MANAGED_DICT(self);
    return fault_clear(self);
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, dealloc) GCTAX_CLEAR_MANAGED_DICT(self);
    fault_release(self);
    Py_TRASHCAN_END
}

const PyType_Slot fault_sound_managed_dict_slots[] = {
    {Py_tp_traverse, (void *)traverse},
    {Py_tp_clear, (void *)clear},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_getset, (void *)fault_dict_getset},
    {0, NULL},
};
#else
const PyType_Slot fault_sound_managed_dict_slots[] = {{0, NULL}};
#endif
