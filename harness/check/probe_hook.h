/* Slots of the probed type, wrapped inside the child: what calls them, and when, is seen without a
 * change to the type's code. Include pycompat.h first. */
#ifndef GCTAX_PROBE_HOOK_H
#define GCTAX_PROBE_HOOK_H

#include <stdbool.h>
#include <stdint.h>

/* The wrapped tp_finalize, and tp_clear beside it. One a child: a slot's function is told of no
 * context. */
struct probe_finalize_hook {
    PyTypeObject *type; /* borrowed */
    destructor original;
    inquiry original_clear; /* or NULL */
    int64_t calls;
    bool resurrect;         /* the next call brings the instance back */
    PyObject *returned;     /* what was brought back: owned */
    const int64_t *watched; /* a count that is looked at, or NULL */
    int64_t watched_then;   /* what it was as an instance was brought back, its finalizer over */
    bool cleared;           /* tp_clear was called for what was brought back, while it was owned */
    bool own_return;        /* a call of the original left a new reference to the instance */
    PyObject *reference;    /* a weak reference that is asked at each call, or NULL; borrowed */
    bool reference_alive;
};

/* Wraps tp_finalize and tp_clear of the type and returns what the wrapper notes, or NULL where the
 * type has no tp_finalize. */
struct probe_finalize_hook *probe_hook_finalize(PyTypeObject *type);

/* Where a construction is looked at: as tp_alloc returns the instance, as tp_init is about to be
 * called, and as code in Python is about to run between the first tp_alloc and the end. */
enum probe_moment { PROBE_ALLOCATED, PROBE_MADE, PROBE_CALLBACK };

/* Wraps tp_alloc and tp_init, and watches the calls of functions in Python: `between` is called
 * with the instance as it is then, or NULL in a callback. */
typedef void (*probe_between)(PyObject *self, enum probe_moment moment, void *context);
void probe_hook_construction(PyTypeObject *type, probe_between between, void *context);

/* Watches no calls any more; the slots stay wrapped. */
void probe_hook_construction_over(void);

#endif
