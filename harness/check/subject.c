#include "pycompat.h"

#include "subject.h"

#include <stdlib.h>
#include <string.h>

/* Of one slot; borrowed from the sequence of slots. */
struct subject_callables {
    PyObject *put;
    PyObject *make;
};

static int call_put(void *context, PyObject *self, PyObject *value)
{
    PyObject *put = ((struct subject_callables *)context)->put;
    PyObject *done = PyObject_CallFunctionObjArgs(put, self, value, NULL);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

static PyObject *call_make_with(void *context, PyObject *value)
{
    return PyObject_CallFunctionObjArgs(((struct subject_callables *)context)->make, value, NULL);
}

static PyObject *call_make(void *context)
{
    return PyObject_CallNoArgs(((struct subject *)context)->make);
}

static int64_t call_destroyed(void *context)
{
    PyObject *number = PyObject_CallNoArgs(((struct subject *)context)->destroyed);
    int64_t count = number != NULL ? PyLong_AsLongLong(number) : -1;
    Py_XDECREF(number);
    return count;
}

/* Reads one slot from its tuple. 0, or -1 with an exception. */
static int read_slot(PyObject *tuple, struct probe_slot *slot, struct subject_callables *callables)
{
    PyObject *make = Py_None;
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "a slot is a tuple (name, put) or (name, put, make)");
        return -1;
    }
    if (!PyArg_ParseTuple(tuple, "sO|O;a slot is a tuple (name, put) or (name, put, make)",
                          &slot->name, &callables->put, &make))
        return -1;
    callables->make = make;
    slot->put = callables->put != Py_None ? call_put : NULL;
    slot->make = make != Py_None ? call_make_with : NULL;
    slot->context = callables;
    if (slot->put != NULL || slot->make != NULL)
        return 0;
    PyErr_Format(PyExc_ValueError, "slot %s has neither put nor make", slot->name);
    return -1;
}

int subject_open(struct subject *subject, PyObject *make, PyObject *slots, PyObject *destroyed,
                 PyObject *facts)
{
    memset(subject, 0, sizeof *subject);
    subject->make = Py_NewRef(make);
    subject->destroyed = destroyed != Py_None ? Py_XNewRef(destroyed) : NULL;
    subject->sequence = slots != NULL ? PySequence_Tuple(slots) : PyTuple_New(0);
    if (subject->sequence == NULL)
        goto failed;
    size_t count = (size_t)PyTuple_GET_SIZE(subject->sequence);
    subject->slots = calloc(count + 1, sizeof *subject->slots);
    subject->callables = calloc(count + 1, sizeof *subject->callables);
    if (subject->slots == NULL || subject->callables == NULL) {
        PyErr_NoMemory();
        goto failed;
    }
    for (size_t i = 0; i < count; i++) {
        PyObject *tuple = PyTuple_GET_ITEM(subject->sequence, (Py_ssize_t)i);
        if (read_slot(tuple, &subject->slots[i], &subject->callables[i]) < 0)
            goto failed;
    }
    subject->probed = (struct probe_subject){
        .make = call_make,
        .destroyed = subject->destroyed != NULL ? call_destroyed : NULL,
        .context = subject,
        .slots = subject->slots,
        .slot_count = (int)count,
        .facts = facts != Py_None ? facts : NULL,
    };
    return 0;
failed:
    subject_free(subject);
    return -1;
}

void subject_free(struct subject *subject)
{
    free(subject->callables);
    free(subject->slots);
    Py_XDECREF(subject->sequence);
    Py_XDECREF(subject->destroyed);
    Py_XDECREF(subject->make);
    memset(subject, 0, sizeof *subject);
}
