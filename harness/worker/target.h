/* The target: what a cell drives. All of it is C functions called through one pointer each, so that
 * a workload's loop is the same for the null target, a variant, a builtin and a user's type. */
#ifndef GCTAX_TARGET_H
#define GCTAX_TARGET_H

#include "pycompat.h"

#include <stdbool.h>
#include <stdint.h>

struct cell;
struct variant_table;

struct target {
    /* One new instance (new reference), or NULL with an exception. The hot call. */
    PyObject *(*make)(const struct target *target);
    /* `from` comes to hold `to` in the first place that can hold it; 0, or -1 with an exception.
     * NULL where instances cannot hold each other. */
    int (*link)(const struct target *target, PyObject *from, PyObject *to);
    /* The same with the place chosen: 0 (that of link()) or 1. NULL where instances have one place,
     * or it is not known how a second is reached. */
    int (*link_at)(const struct target *target, PyObject *from, int place, PyObject *to);
    /* `from` lets go of what link() made it hold: how a ring of a target without GC is broken. */
    int (*unlink)(const struct target *target, PyObject *from);
    PyTypeObject *type; /* of the instances; owned; NULL for the null target before make() */
    bool has_gc;        /* `type` has Py_TPFLAGS_HAVE_GC */
    bool collects;      /* a cycle of instances is the collector's to find; of a type with GC it is,
                           unless its base without GC holds what nobody shows */
    bool comes_back;    /* a dropped instance comes back once, and dies by the collector */
    bool is_null;
    const char *call;          /* the column target_call (metrics.def) */
    const uint64_t *destroyed; /* instances destroyed so far; NULL where that cannot be counted */
    const struct variant *variant; /* where it is one of ours, else NULL */
    int fields;
    /* Owned references of the non-variant kinds: the null object, the callee and its arguments, or
     * the code and the namespace it is evaluated in. */
    PyObject *callee, *code, *globals, *make_args;
    PyObject *const *args; /* borrowed from make_args */
    size_t nargs;
    PyObject *kwnames;     /* names of the last arguments, or NULL */
    PyObject *link_name;   /* attribute or method that link() uses */
    PyObject *unlink_name; /* method that unlink() calls */
    PyObject *link_call;   /* --link as a function of `a` and `b` */
};

/* How opening a target ended. */
enum target_result {
    TARGET_OK,
    TARGET_SKIPPED, /* cannot be driven here: `why` says the reason ("needs 3.12", "shared object")
                     */
    TARGET_ERROR    /* bad name, failing import or expression: `why` says so, exception cleared */
};

/* Opens the target that `cell` names. `table` is gctax_ext's. `venv`: modules are looked for in a
 * virtual environment; without one, the interpreter's own site-packages are added for a module that
 * is not found otherwise. On anything but TARGET_OK `target` is
 * empty and `why` (of `size` bytes) holds one line. */
enum target_result target_open(struct target *target, const struct cell *cell,
                               const struct variant_table *table, bool venv, char *why,
                               size_t size);
/* The floor: make() returns a new reference to one existing object. */
void target_open_null(struct target *target);
void target_close(struct target *target);

#endif
