/* gc_resurrect: gc1 whose tp_finalize brings the instance back, in a list that is garbage itself:
 * the next look of the collector finds both, and as the finalizer does not run again, that is the
 * end of them. Destruction by reference count thereby becomes the collector's work, too. */
#include "variant_common.h"

VARIANT_SHOW(1)

static void finalize(PyObject *self)
{
    PyObject *exception = gctax_take_exception();
    PyObject *holder = PyList_New(2);
    if (holder == NULL)
        PyErr_WriteUnraisable(self);
    else {
        PyList_SET_ITEM(holder, 0, Py_NewRef(holder));
        PyList_SET_ITEM(holder, 1, Py_NewRef(self));
        Py_DECREF(holder);
    }
    gctax_restore_exception(exception);
}

static void dealloc(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) < 0)
        return;
    PyObject_GC_UnTrack(self);
    variant_clear(variant_fields(self), 1);
    variant_free(self);
}

static const struct variant_code code[] = {
    {.fields = 1, .dealloc = dealloc, .traverse = traverse_1, .clear = clear_1},
};

static const PyType_Slot slots[] = {{Py_tp_finalize, (void *)finalize}, {0, NULL}};

const struct variant_family variant_family_gc_resurrect = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .slots = slots,
    .set = variant_fields_set,
    .get = variant_fields_get,
};
