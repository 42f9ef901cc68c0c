/* gctax_fault_needs_gil breaks rule mod-gil: it says nothing of the GIL, which a free-threaded
 * build then turns on. */
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
    .name = "gctax_fault_needs_gil.item",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = item_slots,
};

static int module_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &item_spec, NULL);
    int failed = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return failed;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gctax_fault_needs_gil",
    .m_doc = "A module that does not say that it needs no GIL.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_gctax_fault_needs_gil(void);
PyMODINIT_FUNC PyInit_gctax_fault_needs_gil(void)
{
    return PyModuleDef_Init(&module_def);
}
