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

static PyMethodDef type_methods[] = {FAULT_GET, FAULT_SET, {NULL, NULL, 0, NULL}};

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

/* Takes out what a row has marked by NULL, and what belongs to HAVE_GC from a type without. */
static void drop_slots(PyType_Slot *slots, bool no_gc)
{
    PyType_Slot *next = slots;
    for (PyType_Slot *slot = slots; slot->slot != 0; slot++) {
        bool of_gc = slot->slot == Py_tp_traverse || slot->slot == Py_tp_clear;
        if (slot->pfunc != NULL && !(no_gc && of_gc))
            *next++ = *slot;
    }
    *next = (PyType_Slot){0, NULL};
}

static const struct fault_entry *find_entry(const char *name)
{
    for (size_t i = 0; name != NULL && i < ENTRY_COUNT; i++) {
        if (strcmp(entries[i].row.name, name) == 0)
            return &entries[i];
    }
    return NULL;
}

/* Does the fault exist on this release? */
static bool exists(const struct fault_row *row)
{
    return GCTAX_RELEASE >= row->since && (row->until == 0 || GCTAX_RELEASE <= row->until) &&
           !(row->gil && GCTAX_FREE_THREADED);
}

static unsigned type_flags(const struct fault_row *row)
{
    unsigned long flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
    if (!row->no_gc)
        flags |= Py_TPFLAGS_HAVE_GC;
#ifdef GCTAX_MANAGED_DICT
    if (row->managed_dict)
        flags |= Py_TPFLAGS_MANAGED_DICT;
#endif
    return (unsigned)flags;
}

static PyTypeObject *make_type(PyObject *module, const struct fault_entry *entry, PyObject *bases)
{
    const struct fault_row *row = &entry->row;
    PyType_Slot slots[MAX_SLOTS] = {{0, NULL}};
    int count = 0;
    const struct fault_entry *layer = entry;
    for (; layer != NULL; layer = find_entry(layer->row.twin)) {
        for (const PyType_Slot *slot = layer->slots; slot->slot != 0; slot++)
            count = add_slot(slots, count, slot->slot, slot->pfunc);
    }
    if (!row->empty && bases == NULL)
        count = add_slot(slots, count, Py_tp_methods, type_methods);
    add_slot(slots, count, Py_tp_doc, row->doc);
    drop_slots(slots, row->no_gc);
    PyType_Spec spec = {
        .name = entry->qualname,
        .basicsize = sizeof(struct fault_object),
        .flags = type_flags(row),
        .slots = slots,
    };
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, bases);
    if (type != NULL && row->weaklist)
        type->tp_weaklistoffset = offsetof(struct fault_object, weaklist);
    return type;
}

static int add_type(PyObject *module, const struct fault_entry *entry)
{
    const char *base = entry->row.base;
    PyObject *bases = NULL;
    if (base != NULL) {
        PyObject *type = PyObject_GetAttrString(module, base);
        bases = type != NULL ? PyTuple_Pack(1, type) : NULL;
        Py_XDECREF(type);
        if (bases == NULL)
            return -1;
    }
    PyTypeObject *type = make_type(module, entry, bases);
    int failed = type == NULL ? -1 : PyModule_AddType(module, type);
    Py_XDECREF(type);
    Py_XDECREF(bases);
    return failed;
}

static int module_exec(PyObject *module)
{
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        if (exists(&entries[i].row) && add_type(module, &entries[i]) < 0)
            return -1;
    }
    return 0;
}

static PyObject *describe(const struct fault_row *row, PyObject *type)
{
    const char *verdict = row->verdict != NULL ? row->verdict : "breach";
    return Py_BuildValue("{sOszszszsssOsi}", "type", type, "rule", row->rule, "verdict",
                         row->rule != NULL ? verdict : "ok", "twin", row->twin, "doc", row->doc,
                         "have_gc", row->no_gc ? Py_False : Py_True, "fields",
                         row->empty ? 0 : FAULT_FIELDS);
}

static PyObject *module_faults(PyObject *module, PyObject *Py_UNUSED(unused))
{
    PyObject *all = PyDict_New();
    for (size_t i = 0; all != NULL && i < ENTRY_COUNT; i++) {
        const struct fault_row *row = &entries[i].row;
        if (!exists(row))
            continue;
        PyObject *type = PyObject_GetAttrString(module, row->name);
        PyObject *traits = type != NULL ? describe(row, type) : NULL;
        if (traits == NULL || PyDict_SetItemString(all, row->name, traits) < 0)
            Py_CLEAR(all);
        Py_XDECREF(traits);
        Py_XDECREF(type);
    }
    return all;
}

static PyMethodDef module_methods[] = {
    {"faults", module_faults, METH_NOARGS,
     PyDoc_STR("faults()\n--\n\nName and traits of every type that exists on this release: its "
               "rule is None where it is sound.")},
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
    .m_size = sizeof(struct fault_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_gctax_faults(void);
PyMODINIT_FUNC PyInit_gctax_faults(void)
{
    return PyModuleDef_Init(&module_def);
}
