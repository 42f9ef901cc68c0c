/* gctax_fault_kept_type breaks rule module-state: a list of the process's keeps each type that it
 * made, and with the type its module. */
#define FAULT_MODULE kept_type
#include "../fault_module.h"

/* Objects of each copy of the module, never released. */
static PyObject *registry;

static int module_exec(PyObject *module)
{
    if (registry == NULL && (registry = PyList_New(0)) == NULL)
        return -1;
    PyObject *type = PyType_FromModuleAndSpec(module, &item_spec, NULL);
    int failed = type == NULL ? -1 : PyList_Append(registry, type);
    if (failed == 0)
        failed = PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return failed;
}

FAULT_MODULE_INIT("A module whose type outlives it.", GCTAX_MODULE_SLOTS)
