/* Planted objects: GC-capable objects of ours that probes put into the slots of an instance, and
 * that say when they are finalized and deallocated. Include pycompat.h first. */
#ifndef GCTAX_PROBE_PLANTED_H
#define GCTAX_PROBE_PLANTED_H

#include <stdint.h>

/* Called from inside tp_finalize or tp_dealloc of a planted object; exceptions in flight are kept
 * around it, and what it raises is dropped. In tp_dealloc the object has no reference left and must
 * get none. */
typedef void (*planted_hook)(PyObject *self, void *context);

/* The type of planted objects of one child, and how many of them are alive. */
struct planted_kit {
    PyTypeObject *type;
    int64_t alive;
};

struct planted {
    PyObject_HEAD
    PyObject *link; /* owned, visited, cleared; NULL for none */
    planted_hook on_finalize;
    planted_hook on_dealloc;
    void *context; /* of both hooks */
    struct planted_kit *kit;
};

/* Makes the type. 0, or -1 with an exception. The kit must not move. */
int planted_kit_open(struct planted_kit *kit);

/* A new planted object without link and hooks, tracked. New reference, or NULL with an exception.
 */
PyObject *planted_new(struct planted_kit *kit);

/* Lets it own `object` (a new reference is taken; NULL for none). */
void planted_link(PyObject *self, PyObject *object);

#endif
