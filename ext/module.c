/* gctax_ext: every variant of variants.def as a type, and the table of them for the worker. */
#include "variant_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIANT(family, ...) extern const struct variant_family variant_family_##family;
#include "variants.def"
#undef VARIANT

/* The rows, each with its code. */
struct family_entry {
    struct variant_row row;
    const struct variant_family *family;
};

#define VARIANT(name_, ...)                                                                        \
    {                                                                                              \
        .row = {.family = #name_, __VA_ARGS__},                                                    \
        .family = &variant_family_##name_,                                                         \
    },
static const struct family_entry families[] = {
#include "variants.def"
};
#undef VARIANT

enum { FAMILY_COUNT = sizeof families / sizeof *families, NAME_SIZE = 48 };

/* The names, which live as long as the process: up to 3.10 a type keeps the pointer it was given,
 * and a type may outlive its module. Written when the module is loaded, before any interpreter can
 * import it. */
struct names {
    int count;
    int fields[VARIANT_SIZE_COUNT];
    char qualnames[VARIANT_SIZE_COUNT][NAME_SIZE];
};
static struct names names[FAMILY_COUNT];

static void add_name(struct names *names_of, const struct variant_row *row, int fields)
{
    static const char prefix[] = "gctax_ext.";
    char *qualname = names_of->qualnames[names_of->count];
    memcpy(qualname, prefix, sizeof prefix);
    variant_row_name(row, fields, qualname + sizeof prefix - 1, NAME_SIZE - sizeof prefix + 1);
    names_of->fields[names_of->count++] = fields;
}

__attribute__((constructor)) static void make_names(void)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        const struct variant_row *row = &families[i].row;
        const char *text = row->sizes;
        if (text == NULL)
            add_name(&names[i], row, row->fields);
        while (text != NULL && *text != '\0' && names[i].count < VARIANT_SIZE_COUNT) {
            char *end;
            add_name(&names[i], row, (int)strtol(text, &end, 10));
            text = *end == ',' ? end + 1 : end;
        }
    }
}

/* A module's state: its variants, whose types it owns, and the table that shows them to the worker.
 */
struct state {
    struct variant_state common; /* first: families find it as the module's state */
    struct variant_table table;
    struct variant variants[FAMILY_COUNT * VARIANT_SIZE_COUNT];
};

static struct PyModuleDef module_def;

/* The variants whose types are static: a copy of each, which outlives the module that made it.
 * Filled where the main interpreter first executes the module. */
static struct variant static_variants[FAMILY_COUNT];

static bool is_static(const struct variant_row *row)
{
    return row->kind != NULL && strcmp(row->kind, "static") == 0;
}

/* Can this interpreter have the row's types? A static one, and what is derived from it, only the
 * main interpreter has. */
static bool is_possible(const struct variant_row *row)
{
    return row->since <= GCTAX_RELEASE &&
           (!is_static(row) || PyInterpreterState_Get() == PyInterpreterState_Main());
}

static const struct variant *variant_of_static(PyTypeObject *type)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        if (static_variants[i].type == type)
            return &static_variants[i];
    }
    return NULL;
}

static const struct variant *variant_of_type(const struct state *state, PyTypeObject *type)
{
    for (unsigned i = 0; i < state->table.count; i++) {
        if (state->variants[i].type == type)
            return &state->variants[i];
    }
    return NULL;
}

/* The module is known by the first base that was made in C, the variant may be derived from it. */
const struct variant *variant_of(PyTypeObject *type)
{
    PyTypeObject *base = type;
    do {
        const struct variant *of_static = variant_of_static(base);
        if (of_static != NULL)
            return of_static;
        PyObject *module = PyType_GetModule(base);
        if (module == NULL) {
            PyErr_Clear();
            continue;
        }
        if (PyModule_GetDef(module) != &module_def)
            continue;
        const struct state *state = PyModule_GetState(module);
        base = type;
        do {
            const struct variant *variant = variant_of_type(state, base);
            if (variant != NULL)
                return variant;
        } while ((base = base->tp_base) != NULL);
        break;
    } while ((base = base->tp_base) != NULL);
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s is no variant of gctax_ext", type->tp_name);
    return NULL;
}

const struct variant *variant_find(PyObject *module, const char *name)
{
    const struct state *state = PyModule_GetState(module);
    for (unsigned i = 0; i < state->table.count; i++) {
        if (state->variants[i].type != NULL && strcmp(state->variants[i].name, name) == 0)
            return &state->variants[i];
    }
    PyErr_Format(PyExc_SystemError, "variants.def: %s is not made before what is derived from it",
                 name);
    return NULL;
}

/* What help() says of the type: what it is, its bytes on this build, its source. */
static PyTypeObject *make_type(PyObject *module, const struct variant *variant)
{
    const struct variant_row *row = variant->row;
    char doc[512];
    snprintf(doc, sizeof doc,
             "%s(*payloads)\n--\n\n%s.\n\nPointer fields: %d, set from the payloads in order.\n"
             "Size: %zu bytes on this build, what lies before the object included.\n"
             "Source: ext/variant_%s.c\n",
             variant->name, row->doc, variant_fields_held(variant), variant_bytes(variant),
             variant->family->source != NULL ? variant->family->source : row->family);
    return variant->family->make_type != NULL ? variant->family->make_type(module, variant, doc)
                                              : variant_make_type(module, variant, doc);
}

/* Adds one variant to the state, and its type to the module where this release can have it. */
static int add_variant(PyObject *module, struct state *state, const struct family_entry *entry,
                       int fields, const char *qualname)
{
    struct variant *variant = &state->variants[state->table.count++];
    *variant = (struct variant){
        .name = strchr(qualname, '.') + 1,
        .qualname = qualname,
        .row = &entry->row,
        .family = entry->family,
        .fields = fields,
    };
    if (!is_possible(&entry->row))
        return 0;
    variant->type = make_type(module, variant);
    if (variant->type == NULL)
        return -1;
    size_t number = (size_t)(entry - families);
    if (!PyType_HasFeature(variant->type, Py_TPFLAGS_HEAPTYPE) &&
        static_variants[number].type == NULL)
        static_variants[number] = *variant;
    return PyModule_AddType(module, variant->type);
}

static int module_exec(PyObject *module)
{
    struct state *state = PyModule_GetState(module);
    state->table = (struct variant_table){
        .abi = VARIANT_TABLE_ABI,
        .variants = state->variants,
        .destroyed = &variant_destroyed,
    };
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        for (int k = 0; k < names[i].count; k++) {
            if (add_variant(module, state, &families[i], names[i].fields[k],
                            names[i].qualnames[k]) < 0)
                return -1;
        }
    }
    PyObject *capsule = PyCapsule_New(&state->table, VARIANT_TABLE_CAPSULE, NULL);
    if (capsule == NULL)
        return -1;
    int failed = PyObject_SetAttrString(module, strchr(VARIANT_TABLE_CAPSULE, '.') + 1, capsule);
    Py_DECREF(capsule);
    return failed;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct state *state = PyModule_GetState(module);
    for (unsigned i = 0; i < state->table.count; i++)
        Py_VISIT(state->variants[i].type);
    return 0;
}

static int module_clear(PyObject *module)
{
    struct state *state = PyModule_GetState(module);
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        if (families[i].family->release != NULL)
            families[i].family->release(&state->common);
    }
    for (unsigned i = 0; i < state->table.count; i++)
        Py_CLEAR(state->variants[i].type);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

/* Sets traits[key] to a text, to None where it is NULL. */
static int set_text(PyObject *traits, const char *key, const char *text)
{
    PyObject *value = text != NULL ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
    int failed = value == NULL ? -1 : PyDict_SetItemString(traits, key, value);
    Py_XDECREF(value);
    return failed;
}

static int set_number(PyObject *traits, const char *key, size_t number)
{
    PyObject *value = PyLong_FromSize_t(number);
    int failed = value == NULL ? -1 : PyDict_SetItemString(traits, key, value);
    Py_XDECREF(value);
    return failed;
}

/* One variant as variants() shows it: a new dict, or NULL with an exception. */
static PyObject *describe(const struct variant *variant)
{
    const struct variant_row *row = variant->row;
    PyObject *type = variant->type != NULL ? (PyObject *)variant->type : Py_None;
    char twin[NAME_SIZE];
    variant_row_pattern(row->twin, variant->fields, twin, sizeof twin);
    PyObject *traits = PyDict_New();
    if (traits == NULL || PyDict_SetItemString(traits, "type", type) < 0 ||
        set_text(traits, "family", row->family) < 0 ||
        set_number(traits, "size", (size_t)variant->fields) < 0 ||
        set_number(traits, "fields", (size_t)variant_fields_held(variant)) < 0 ||
        set_number(traits, "bytes", variant_bytes(variant)) < 0 ||
        set_number(traits, "since", row->since != 0 ? (size_t)row->since : 9) < 0 ||
        set_text(traits, "twin", twin) < 0 || set_text(traits, "axis", row->axis) < 0 ||
        set_text(traits, "expect", variant_row_expect(row, variant->fields)) < 0 ||
        set_text(traits, "doc", row->doc) < 0)
        goto failed;
#define TRAIT(member, base)                                                                        \
    if (set_text(traits, #member, row->member != NULL ? row->member : (base)) < 0)                 \
        goto failed;
    VARIANT_EACH_TRAIT(TRAIT)
#undef TRAIT
    return traits;
failed:
    Py_XDECREF(traits);
    return NULL;
}

static PyObject *module_variants(PyObject *module, PyObject *Py_UNUSED(unused))
{
    const struct state *state = PyModule_GetState(module);
    PyObject *all = PyDict_New();
    for (unsigned i = 0; all != NULL && i < state->table.count; i++) {
        PyObject *traits = describe(&state->variants[i]);
        if (traits == NULL || PyDict_SetItemString(all, state->variants[i].name, traits) < 0)
            Py_CLEAR(all);
        Py_XDECREF(traits);
    }
    return all;
}

static PyObject *module_destroyed(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromUnsignedLongLong(GCTAX_COUNTED(variant_destroyed));
}

static PyMethodDef module_methods[] = {
    {"variants", module_variants, METH_NOARGS,
     PyDoc_STR("variants()\n--\n\nName and traits of every variant. Its \"type\" is None where "
               "this release lacks what it needs.")},
    {"destroyed", module_destroyed, METH_NOARGS,
     PyDoc_STR("destroyed()\n--\n\nInstances of all variants destroyed so far in this process.")},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
    GCTAX_MODULE_SLOTS{0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gctax_ext",
    .m_doc = "Extension types that differ in one choice each about the garbage collector.",
    .m_size = sizeof(struct state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit_gctax_ext(void);
PyMODINIT_FUNC PyInit_gctax_ext(void)
{
    return PyModuleDef_Init(&module_def);
}
