/* gctax_faults: types that break the collector's contract, each in one way. A checker that is worth
 * its name finds each, and nothing about the sound ones. */
#include "fault.h"

#include <stddef.h>
#include <string.h>

#define FAULT(name, ...) extern const PyType_Slot fault_##name##_slots[];
#include "faults.def"
#undef FAULT

static const struct fault_entry {
    struct fault_row row;
    const char *qualname;
    const PyType_Slot *slots;
} entries[] = {
#define FAULT(fault, ...)                                                                          \
    {{.name = #fault, __VA_ARGS__}, "gctax_faults." #fault, fault_##fault##_slots},
#include "faults.def"
#undef FAULT
};

enum { ENTRY_COUNT = sizeof entries / sizeof *entries, MAX_SLOTS = 16 };

static PyObject *method_get(PyObject *self, PyObject *number)
{
    int index = fault_index(number);
    if (index < 0)
        return NULL;
    PyObject *value = ((struct fault_object *)self)->field[index];
    return Py_NewRef(value != NULL ? value : Py_None);
}

static PyObject *method_set(PyObject *self, PyObject *args)
{
    PyObject *number, *value;
    int index;
    if (!PyArg_ParseTuple(args, "OO:set", &number, &value) || (index = fault_index(number)) < 0)
        return NULL;
    PyObject **field = &((struct fault_object *)self)->field[index];
    Py_XSETREF(*field, Py_NewRef(value));
    return Py_NewRef(Py_None);
}

static PyMethodDef type_methods[] = {
    {"get", method_get, METH_O, PyDoc_STR("get(i, /)\n--\n\nWhat field i holds.")},
    {"set", method_set, METH_VARARGS, PyDoc_STR("set(i, value, /)\n--\n\nFill field i.")},
    {NULL, NULL, 0, NULL},
};

/* Adds a slot unless it is there already. */
static int add_slot(PyType_Slot *slots, int count, int number, const void *function)
{
    for (int i = 0; i < count; i++) {
        if (slots[i].slot == number)
            return count;
    }
    slots[count] = (PyType_Slot){number, (void *)function};
    return count + 1;
}

static const struct fault_entry *find_entry(const char *name)
{
    for (size_t i = 0; name != NULL && i < ENTRY_COUNT; i++) {
        if (strcmp(entries[i].row.name, name) == 0)
            return &entries[i];
    }
    return NULL;
}

static PyTypeObject *make_type(PyObject *module, const struct fault_entry *entry)
{
    PyType_Slot slots[MAX_SLOTS] = {{0, NULL}};
    int count = 0;
    const struct fault_entry *layer = entry;
    for (; layer != NULL; layer = find_entry(layer->row.twin)) {
        for (const PyType_Slot *slot = layer->slots; slot->slot != 0; slot++)
            count = add_slot(slots, count, slot->slot, slot->pfunc);
    }
    count = add_slot(slots, count, Py_tp_methods, type_methods);
    add_slot(slots, count, Py_tp_doc, entry->row.doc);
    PyType_Spec spec = {
        .name = entry->qualname,
        .basicsize = sizeof(struct fault_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (type != NULL && entry->row.weaklist)
        type->tp_weaklistoffset = offsetof(struct fault_object, weaklist);
    return type;
}

static int module_exec(PyObject *module)
{
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        PyTypeObject *type = make_type(module, &entries[i]);
        int failed = type == NULL ? -1 : PyModule_AddType(module, type);
        Py_XDECREF(type);
        if (failed < 0)
            return -1;
    }
    return 0;
}

static PyObject *module_faults(PyObject *module, PyObject *Py_UNUSED(unused))
{
    PyObject *all = PyDict_New();
    for (size_t i = 0; all != NULL && i < ENTRY_COUNT; i++) {
        const struct fault_row *row = &entries[i].row;
        PyObject *type = PyObject_GetAttrString(module, row->name);
        PyObject *traits = type != NULL
                               ? Py_BuildValue("{sOszszss}", "type", type, "rule", row->rule,
                                               "twin", row->twin, "doc", row->doc)
                               : NULL;
        if (traits == NULL || PyDict_SetItemString(all, row->name, traits) < 0)
            Py_CLEAR(all);
        Py_XDECREF(traits);
        Py_XDECREF(type);
    }
    return all;
}

static PyMethodDef module_methods[] = {
    {"faults", module_faults, METH_NOARGS,
     PyDoc_STR("faults()\n--\n\nName and traits of every type: its rule is None where it is "
               "sound.")},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
    GCTAX_MODULE_SLOTS{0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gctax_faults",
    .m_doc = "Types that break the contract of the garbage collector, each in one way.",
    .m_methods = module_methods,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_gctax_faults(void);
PyMODINIT_FUNC PyInit_gctax_faults(void)
{
    return PyModuleDef_Init(&module_def);
}
