/* What the faulty types share: their layout, and the correct code that each replaces a part of. */
#ifndef GCTAX_FAULT_H
#define GCTAX_FAULT_H

#include "pycompat.h"

#include <stdbool.h>

struct fault_row {
    const char *name;
    const char *rule;    /* the rule of the collector's contract that it breaks; NULL: none */
    const char *verdict; /* what a checker is to say; NULL: breach */
    const char *twin;    /* the type that it is but for the fault */
    const char *base;    /* the type that it is derived from; NULL: object */
    const char *doc;     /* one line: what it does */
    int since, until;    /* minor numbers of the first and last release of the fault; 0: any */
    bool gil;            /* with a GIL only: without one the fault does not exist */
    bool weaklist;       /* instances have weak references */
    bool managed_dict;   /* … attributes in a managed dict */
    bool no_gc;          /* the type lacks HAVE_GC, tp_traverse and tp_clear */
    bool empty;          /* instances have no fields: no get() and set() */
};

enum { FAULT_FIELDS = 2, FAULT_BUFFER_BYTES = 256 };

struct fault_object {
    PyObject_HEAD
    PyObject *field[FAULT_FIELDS];
    PyObject *weaklist;
    PyObject *dict;
    void *buffer;
};

/* The state of the module. */
struct fault_state {
    uint64_t destroyed; /* instances of state_in_dealloc */
};

/* The correct slots of `sound`. */
int fault_traverse(PyObject *self, visitproc visit, void *arg);
int fault_clear(PyObject *self);
/* The same of a type whose instances own `dict` beside their fields. */
int fault_traverse_dict(PyObject *self, visitproc visit, void *arg);
int fault_clear_dict(PyObject *self);
void fault_dealloc(PyObject *self);
PyObject *fault_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* Its methods, and their rows for a table of methods. */
PyObject *fault_get(PyObject *self, PyObject *number);
PyObject *fault_set(PyObject *self, PyObject *args);
#define FAULT_GET                                                                                  \
    {                                                                                              \
        "get", fault_get, METH_O, PyDoc_STR("get(i, /)\n--\n\nWhat field i holds.")                \
    }
#define FAULT_SET                                                                                  \
    {                                                                                              \
        "set", fault_set, METH_VARARGS, PyDoc_STR("set(i, value, /)\n--\n\nFill field i.")         \
    }

/* The end of each tp_dealloc: releases the fields, the memory and the type. */
void fault_release(PyObject *self);

/* Sets all members to NULL, where the memory came without zeros. */
void fault_empty(struct fault_object *self);

/* Is it a type of this module, and no subclass in Python? */
static inline bool fault_is_own_type(PyTypeObject *type)
{
    return ((PyHeapTypeObject *)type)->ht_module != NULL;
}

/* The tp_traverse of the base of the type whose own is `own`. */
traverseproc fault_base_traverse(PyObject *self, traverseproc own);

/* Index of the first argument of get() and set(), or -1 with an exception. */
int fault_index(PyObject *number);

/* A finalizer that does nothing, and the dealloc that calls one. */
void fault_finalize(PyObject *self);
void fault_dealloc_finalized(PyObject *self);

/* Py_tp_getset of the types that have a dict. */
extern PyGetSetDef fault_dict_getset[];

#endif
