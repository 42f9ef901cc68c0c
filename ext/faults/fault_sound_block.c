/* sound_block: tp_traverse and tp_is_gc read a block of memory without a look whether it is there.
 * tp_new puts it there before anything can collect, tp_clear leaves it, and tp_dealloc untracks
 * before it takes it away. */
#include "fault.h"

/* How many fields are in use lies in the block. */
static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct fault_object *object = (struct fault_object *)self;
    const int *used = object->buffer;
    for (int i = 0; i < *used; i++)
        Py_VISIT(object->field[i]);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int is_gc(PyObject *self)
{
    return *(const int *)((struct fault_object *)self)->buffer == FAULT_FIELDS;
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, dealloc) struct fault_object *object = (struct fault_object *)self;
    PyMem_Free(object->buffer);
    object->buffer = NULL;
    fault_release(self);
    Py_TRASHCAN_END
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    int *used = PyMem_Malloc(FAULT_BUFFER_BYTES);
    if (used == NULL)
        return PyErr_NoMemory();
    *used = FAULT_FIELDS;
    PyObject *self = fault_new(type, args, kwargs);
    if (self != NULL)
        ((struct fault_object *)self)->buffer = used;
    else
        PyMem_Free(used);
    return self;
}

const PyType_Slot fault_sound_block_slots[] = {
    {Py_tp_new, (void *)new},
    {Py_tp_traverse, (void *)traverse},
    {Py_tp_is_gc, (void *)is_gc},
    {Py_tp_dealloc, (void *)dealloc},
    {0, NULL},
};
