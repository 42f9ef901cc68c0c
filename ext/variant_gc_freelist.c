/* gc_freelist: gc1 with a free list in the module's state. What comes from it was allocated before:
 * neither the allocator nor the collector's counter sees it made. */
#include "variant_common.h"

/* Borrowed from the type's module; NULL where the collector has cleared the type, which asking with
 * PyType_GetModuleState() would turn into an exception, in a dealloc. */
static struct variant_freelist *list_of(PyTypeObject *type)
{
    PyObject *module = ((PyHeapTypeObject *)type)->ht_module;
    return module != NULL ? &((struct variant_state *)PyModule_GetState(module))->freelist : NULL;
}

static PyObject *pop(struct variant_freelist *list)
{
    GCTAX_LOCK(list->lock);
    PyObject *self = list->count > 0 ? list->object[--list->count] : NULL;
    GCTAX_UNLOCK(list->lock);
    return self;
}

static bool push(struct variant_freelist *list, PyObject *self)
{
    bool room = false;
    if (list == NULL)
        return false;
    GCTAX_LOCK(list->lock);
    if (!list->closed && list->count < VARIANT_FREELIST_LENGTH) {
        list->object[list->count++] = self;
        room = true;
    }
    GCTAX_UNLOCK(list->lock);
    return room;
}

/* Before the module lets go of its types: freeing an object reads its type. */
static void release(struct variant_state *state)
{
    struct variant_freelist *list = &state->freelist;
    PyObject *self;
    GCTAX_LOCK(list->lock);
    list->closed = true;
    GCTAX_UNLOCK(list->lock);
    while ((self = pop(list)) != NULL)
        PyObject_GC_Del(self);
}

/* Called for our own type alone: a subclass in Python gets an allocator of its own. */
static PyObject *alloc(PyTypeObject *type, Py_ssize_t items)
{
    struct variant_freelist *list = list_of(type);
    PyObject *self = list != NULL ? pop(list) : NULL;
    if (self == NULL)
        return PyType_GenericAlloc(type, items);
    PyObject_Init(self, type);
    PyObject_GC_Track(self);
    return self;
}

VARIANT_SHOW(1)

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    variant_clear(variant_fields(self), 1);
    if (type->tp_dealloc != dealloc || !push(list_of(type), self)) {
        variant_free(self);
        return;
    }
    GCTAX_COUNT(variant_destroyed);
    Py_DECREF(type);
}

static const struct variant_code code[] = {
    {.fields = 1, .dealloc = dealloc, .traverse = traverse_1, .clear = clear_1},
};

static const PyType_Slot slots[] = {{Py_tp_alloc, (void *)alloc}, {0, NULL}};

const struct variant_family variant_family_gc_freelist = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .slots = slots,
    .release = release,
    .set = variant_fields_set,
    .get = variant_fields_get,
};
