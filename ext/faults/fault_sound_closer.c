/* sound_closer: its finalizer takes its fields for filled, and closes it, which releases them:
 * once, and before tp_clear, if the collector destroys it. */
#include "fault.h"

/* `buffer` is set while it is open. */
static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = fault_new(type, args, kwargs);
    struct fault_object *object = (struct fault_object *)self;
    for (int i = 0; self != NULL && i < FAULT_FIELDS; i++)
        object->field[i] = Py_NewRef(Py_None);
    if (self != NULL)
        object->buffer = object;
    return self;
}

static void finalize(PyObject *self)
{
    struct fault_object *object = (struct fault_object *)self;
    PyObject *exception = gctax_take_exception();
    if (object->buffer != NULL) {
        object->buffer = NULL;
        for (int i = 0; i < FAULT_FIELDS; i++)
            (void)PyObject_IsTrue(object->field[i]);
        (void)fault_clear(self);
    }
    PyErr_Clear();
    gctax_restore_exception(exception);
}

const PyType_Slot fault_sound_closer_slots[] = {
    {Py_tp_new, (void *)new},
    {Py_tp_finalize, (void *)finalize},
    {0, NULL},
};
