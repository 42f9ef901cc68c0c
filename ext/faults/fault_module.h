/* What the faults of whole modules share: a correct heap type, and the module's definition. The
 * fault itself is the module's `module_exec`, or what its definition leaves out.
 *
 *   #define FAULT_MODULE kept_type        and then include this
 *   static int module_exec(PyObject *module) { … item_spec … }
 *   FAULT_MODULE_INIT(doc, slot, …)       the slots beside Py_mod_exec, each with a comma behind it
 *
 * Each is compiled from its own folder, into a module gctax_fault_NAME. */
#ifndef GCTAX_FAULT_MODULE_H
#define GCTAX_FAULT_MODULE_H

#include "pycompat.h"

#define FAULT_MODULE_PASTE(one, two) one##two
#define FAULT_MODULE_JOIN(one, two) FAULT_MODULE_PASTE(one, two)
#define FAULT_MODULE_QUOTE(name) #name
#define FAULT_MODULE_TEXT(name) FAULT_MODULE_QUOTE(name)
#define FAULT_MODULE_NAME "gctax_fault_" FAULT_MODULE_TEXT(FAULT_MODULE)

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
    .name = FAULT_MODULE_NAME ".item",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = item_slots,
};

#define FAULT_MODULE_INIT(doc, ...)                                                                \
    static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void *)module_exec},                  \
                                              __VA_ARGS__{0, NULL}};                               \
    static struct PyModuleDef module_def = {PyModuleDef_HEAD_INIT, .m_name = FAULT_MODULE_NAME,    \
                                            .m_doc = (doc), .m_slots = module_slots};              \
    PyMODINIT_FUNC FAULT_MODULE_JOIN(PyInit_gctax_fault_, FAULT_MODULE)(void);                     \
    PyMODINIT_FUNC FAULT_MODULE_JOIN(PyInit_gctax_fault_, FAULT_MODULE)(void)                      \
    {                                                                                              \
        return PyModuleDef_Init(&module_def);                                                      \
    }

#endif
