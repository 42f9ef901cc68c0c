/* What the faulty types share: their layout, and the correct code that each replaces a part of. */
#ifndef GCTAX_FAULT_H
#define GCTAX_FAULT_H

#include "pycompat.h"

#include <stdbool.h>

struct fault_row {
    const char *name;
    const char *rule; /* the rule of the collector's contract that it breaks; NULL: none */
    const char *twin; /* the type that it is but for the fault */
    const char *doc;  /* one line: what it does */
    bool weaklist;    /* instances have weak references */
};

enum { FAULT_FIELDS = 2 };

struct fault_object {
    PyObject_HEAD
    PyObject *field[FAULT_FIELDS];
    PyObject *weaklist;
};

/* The correct slots of `sound`. */
int fault_traverse(PyObject *self, visitproc visit, void *arg);
int fault_clear(PyObject *self);
void fault_dealloc(PyObject *self);
PyObject *fault_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* The end of each tp_dealloc: releases the fields, the memory and the type. */
void fault_release(PyObject *self);

/* Index of the first argument of get() and set(), or -1 with an exception. */
int fault_index(PyObject *number);

/* A finalizer that does nothing, and the dealloc that calls one. */
void fault_finalize(PyObject *self);
void fault_dealloc_finalized(PyObject *self);

#endif
