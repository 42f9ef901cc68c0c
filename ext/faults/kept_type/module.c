/* gctax_fault_kept_type breaks rule module-state: a list of the process's keeps each type that it
 * made, and with the type its module. */
#include "pycompat.h"

static int item_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void item_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot item_slots[] = {
    {Py_tp_traverse, (void *)item_traverse},
    {Py_tp_dealloc, (void *)item_dealloc},
    {0, NULL},
};

static PyType_Spec item_spec = {
    .name = "gctax_fault_kept_type.item",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = item_slots,
};

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

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
    GCTAX_MODULE_SLOTS{0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gctax_fault_kept_type",
    .m_doc = "A module whose type outlives it.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_gctax_fault_kept_type(void);
PyMODINIT_FUNC PyInit_gctax_fault_kept_type(void)
{
    return PyModuleDef_Init(&module_def);
}
