/* The interface between a variant family, the module that creates it and the worker that drives it.
 * Include pycompat.h first. */
#ifndef GCTAX_VARIANT_H
#define GCTAX_VARIANT_H

#include <stdint.h>

#include "variant_row.h"

/* Name of the capsule in gctax_ext that holds a `struct variant_table`. */
#define VARIANT_TABLE_CAPSULE "gctax_ext._variant_table"
/* Rises with each change of the structures below: a worker refuses a module of another number. */
#define VARIANT_TABLE_ABI 1u

/* A family: how its types are made and how an instance is made to hold another object. */
struct variant_family {
    /* A new type (new reference) with `fields` pointer fields, or NULL with an exception.
     * `qualname` is "gctax_ext.NAME" and outlives the type, as `doc` does. */
    PyTypeObject *(*make_type)(PyObject *module, const struct variant_row *row, int fields, const char *qualname,
                               const char *doc);
    /* One instance (new reference) or NULL with an exception. NULL: the type's tp_alloc(type, 0). */
    PyObject *(*create)(PyTypeObject *type, int fields);
    /* Makes pointer field `field` of `self` hold `value` (a new reference is taken; NULL empties it)
     * and releases what was there. 0, or -1 with an exception. NULL where nothing can be held. */
    int (*set)(PyObject *self, int field, PyObject *value);
    /* What the field holds, borrowed; NULL where it is empty. */
    PyObject *(*get)(PyObject *self, int field);
};

/* One variant of this build of gctax_ext. */
struct variant {
    const char *name; /* gc8 */
    const struct variant_row *row;
    const struct variant_family *family;
    int fields;
    PyTypeObject *type; /* borrowed from the module's state; NULL where this release lacks it */
};

struct variant_table {
    unsigned abi; /* VARIANT_TABLE_ABI */
    unsigned count;
    const struct variant *variants;
    /* Instances of any variant destroyed so far in this process: each tp_dealloc adds one. Read it
     * around a workload: what was made less what was destroyed is what is alive. */
    const uint64_t *destroyed;
};

#endif
