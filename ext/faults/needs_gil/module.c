/* gctax_fault_needs_gil breaks rule mod-gil: it says nothing of the GIL, which a free-threaded
 * build then turns on. */
#define FAULT_MODULE needs_gil
#include "../fault_module.h"

static int module_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &item_spec, NULL);
    int failed = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return failed;
}

FAULT_MODULE_INIT("A module that does not say that it needs no GIL.", )
