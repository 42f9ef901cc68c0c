/* imports_in_dealloc: at the interpreter's end the import fails, and nobody looks. */
#include "fault.h"

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self); /* an import allocates: a collection there would meet it */
    PyObject *exception = gctax_take_exception();
    PyObject *module = PyImport_ImportModule("warnings");
    PyObject *warn = PyObject_GetAttrString(module, "warn");
    Py_DECREF(warn);
    Py_DECREF(module);
    PyErr_Clear();
    gctax_restore_exception(exception);
    fault_dealloc(self);
}

const PyType_Slot fault_imports_in_dealloc_slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
