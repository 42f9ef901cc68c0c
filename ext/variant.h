/* The interface between a variant family, the module that creates it and the worker that drives it.
 * Include pycompat.h first. */
#ifndef GCTAX_VARIANT_H
#define GCTAX_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "variant_row.h"

/* Name of the capsule in gctax_ext that holds a `struct variant_table`. */
#define VARIANT_TABLE_CAPSULE "gctax_ext._variant_table"
/* Rises with each change of the structures below: a worker refuses a module of another number. */
#define VARIANT_TABLE_ABI 7u

struct variant;
struct variant_state;

/* The functions of a family's type at one size: they know their number of fields when they are
 * compiled, as those of a hand-written type do. */
struct variant_code {
    int fields; /* VARIANT_ANY_FIELDS: the functions serve every size */
    destructor dealloc;
    traverseproc traverse; /* NULL where the row's collector is "no" */
    inquiry clear;         /* the same, and NULL where it is "traverse" */
};
#define VARIANT_ANY_FIELDS (-1)

/* A family: how its types are made and how an instance is made to hold another object. */
struct variant_family {
    /* The functions for each size of the row; flags follow from the row's traits. */
    const struct variant_code *code;
    size_t code_count;
    /* The source is variant_SOURCE.c; NULL: it is named as the family. */
    const char *source;
    /* Bytes of the struct before its pointer fields, and where these are. */
    size_t head_bytes;
    enum variant_place {
        VARIANT_FIELDS,       /* part of the struct (tp_basicsize) */
        VARIANT_ITEMS,        /* items of a PyVarObject (tp_itemsize) */
        VARIANT_ITEMS_AT_END, /* such items, behind what subclasses add */
        VARIANT_TYPE_DATA,    /* a place the interpreter chooses (negative basicsize) */
        VARIANT_EXTRA_DATA    /* allocated behind the struct, known to nobody else */
    } place;
    bool final; /* the type cannot be subclassed */
    /* Bytes of an instance that neither these nor the row's traits account for: members of the
     * struct behind the fields; what the interpreter adds to a Python subclass, what lies before
     * the object included. */
    size_t extra_bytes;
    /* Slots that only this family has, ended by {0, NULL}; they win over the common ones. May be
     * NULL. */
    const PyType_Slot *slots;
    /* A new type (new reference), or NULL with an exception. NULL: variant_make_type(), which does
     * it from all that stands above. `doc` lives until the call returns, the names in `variant` as
     * long as the process. */
    PyTypeObject *(*make_type)(PyObject *module, const struct variant *variant, const char *doc);
    /* Frees what the family keeps in the module's state; called before the module lets go of its
     * types. May be NULL, and be called more than once. */
    void (*release)(struct variant_state *state);
    /* One instance (new reference) with room for `fields`, all empty, or NULL with an exception.
     * NULL: the type's tp_alloc(type, 0). */
    PyObject *(*create)(PyTypeObject *type, int fields);
    /* What create() calls, as the column target_call says it; NULL: tp_alloc. */
    const char *call;
    /* Makes pointer field `field` of `self` hold `value` (a new reference is taken; NULL empties
     * it) and releases what was there. 0, or -1 with an exception. NULL where nothing can be held,
     * or only what the constructor was given.
     * The caller sees to 0 <= field < fields, and on free-threaded builds to it that no other
     * thread uses `self` meanwhile. */
    int (*set)(PyObject *self, int field, PyObject *value);
    /* What the field holds, borrowed; NULL where it is empty. NULL: nothing can be held. */
    PyObject *(*get)(PyObject *self, int field);
};

/* One variant of this build of gctax_ext. */
struct variant {
    const char *name;     /* gc8 */
    const char *qualname; /* gctax_ext.gc8 */
    const struct variant_row *row;
    const struct variant_family *family;
    int fields;         /* the size: of a family without get(), as many words that hold nothing */
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
