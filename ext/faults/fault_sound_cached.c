/* sound_cached: the process keeps the last object that any set() was given, and a note of each
 * instance, which it throws away when there are many: neither grows without end. */
#include "fault.h"

#include <pthread.h>

enum { MOST_NOTES = 1500 };

static PyObject *last;

static void *notes[MOST_NOTES];
static int note_count;
static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER;

static void add_note(void)
{
    pthread_mutex_lock(&notes_lock);
    if (note_count == MOST_NOTES) {
        while (note_count > 0)
            PyMem_Free(notes[--note_count]);
    }
    notes[note_count++] = PyMem_Malloc(1);
    pthread_mutex_unlock(&notes_lock);
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    add_note();
    return fault_new(type, args, kwargs);
}

static PyObject *set(PyObject *self, PyObject *args)
{
    PyObject *done = fault_set(self, args);
    if (done != NULL) {
        PyObject *given = Py_NewRef(PyTuple_GET_ITEM(args, 1));
        Py_XDECREF(__atomic_exchange_n(&last, given, __ATOMIC_SEQ_CST));
    }
    return done;
}

static PyMethodDef replaced[] = {
    FAULT_GET,
    {"set", set, METH_VARARGS, PyDoc_STR("set(i, value, /)\n--\n\nFill field i.")},
    {NULL, NULL, 0, NULL},
};

const PyType_Slot fault_sound_cached_slots[] = {
    {Py_tp_new, (void *)new},
    {Py_tp_methods, (void *)replaced},
    {0, NULL},
};
