/* gctax_fault_shared_type breaks rule second-interpreter: it declares that each interpreter may
 * import it, and gives all of them the heap type that the first one made. */
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
    .name = "gctax_fault_shared_type.item",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = item_slots,
};

static PyObject *shared;

static int module_exec(PyObject *module)
{
    if (shared == NULL)
        shared = PyType_FromModuleAndSpec(module, &item_spec, NULL);
    return shared == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)shared);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
    GCTAX_MODULE_SLOTS{0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gctax_fault_shared_type",
    .m_doc = "A module whose interpreters share a type.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_gctax_fault_shared_type(void);
PyMODINIT_FUNC PyInit_gctax_fault_shared_type(void)
{
    return PyModuleDef_Init(&module_def);
}
