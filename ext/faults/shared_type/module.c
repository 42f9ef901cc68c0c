/* gctax_fault_shared_type breaks rule second-interpreter: it declares that each interpreter may
 * import it, and gives all of them the heap type that the first one made. */
#define FAULT_MODULE shared_type
#include "../fault_module.h"

static PyObject *shared;

static int module_exec(PyObject *module)
{
    if (shared == NULL)
        shared = PyType_FromModuleAndSpec(module, &item_spec, NULL);
    return shared == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)shared);
}

FAULT_MODULE_INIT("A module whose interpreters share a type.", GCTAX_MODULE_SLOTS)
