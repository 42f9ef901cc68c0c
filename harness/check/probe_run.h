/* What a probe's body has to work with, inside the child. Include pycompat.h first. */
#ifndef GCTAX_PROBE_RUN_H
#define GCTAX_PROBE_RUN_H

#include "probe.h"
#include "probe_planted.h"

struct probe_shared;

struct probe_run {
    const struct probe_subject *subject;
    struct probe_slot *slots; /* the subject's, and __dict__ where instances have one */
    int slot_count;
    PyTypeObject *type; /* of the instances */
    int64_t made;       /* instances made so far */
    double make_s;      /* seconds that making one takes, the lesser of the first two */
    struct planted_kit planted;
    struct planted_kit *partners; /* probe_cycle's, a slot each; never freed, see there */
    PyObject *collect;            /* gc.collect */
    PyObject *gc;
    PyObject *exception; /* that probe_exception_raise() raises */
    void *seen;          /* the probe's struct, in memory that outlives the child */
    struct probe_shared *shared;
};

/* Names what is done next: the last one stands beside a crash. */
void probe_step(struct probe_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A fact of the subject, borrowed, or NULL without an exception where the caller gave none. */
PyObject *probe_fact(const struct probe_run *run, const char *name);

/* A new instance, its slots empty. New reference, or NULL with an exception. */
PyObject *probe_make(struct probe_run *run);

/* How many instances a probe makes where each takes `each_s` seconds: `most`, or where that would
 * take longer than `seconds` fewer, and never fewer than `least`. */
int probe_affordable(double each_s, int least, int most, double seconds);

/* Puts `value` into slot `slot` of a new instance. New reference, or NULL with an exception. */
PyObject *probe_make_with(struct probe_run *run, int slot, PyObject *value);

/* Puts `value` into slot `slot` of `self`. 1: done; 0: the slot takes no such object, or takes one
 * at construction alone (no exception is left); -1 with an exception that is no refusal. */
int probe_put(struct probe_run *run, int slot, PyObject *self, PyObject *value);

/* A new instance with a new planted object in each slot that takes one after construction. *planted
 * becomes the array of the planted objects (references owned by it, NULL for slots that refused),
 * to be released with probe_release_planted(). NULL with an exception. */
PyObject *probe_make_full(struct probe_run *run, PyObject ***planted);
void probe_release_planted(struct probe_run *run, PyObject **planted);

/* Like probe_make_full(), where the instance alone owns the planted objects. */
PyObject *probe_make_filled(struct probe_run *run);

/* Drops a reference to an instance (NULL: nothing). An exception in flight is kept, one that the
 * destruction leaves is dropped: only probe_lifetime looks for it. */
void probe_drop(PyObject *self);

/* Whether an instance of a type with HAVE_GC is tracked. A tp_is_gc, which may need what an
 * instance lacks that is not complete yet or dies, is not asked. */
bool probe_is_tracked(PyObject *self);

/* One full collection. Objects found, or -1 with an exception. */
int64_t probe_collect(struct probe_run *run);

/* Two collections, for what the first one leaves to a second. 0, or -1 with an exception. */
int probe_collect_twice(struct probe_run *run);

/* Collects until nothing is found, at most 8 times. 0, or -1 with an exception. */
int probe_collect_all(struct probe_run *run);

/* Collections of all generations that have run so far, or -1 with an exception. */
int64_t probe_collections(struct probe_run *run);

/* Instances of the subject's type that are alive, as its `destroyed` says, else tracked ones as the
 * collector lists them. PROBE_UNSEEN where neither can tell, -1 with an exception. */
int64_t probe_alive(struct probe_run *run);

/* Reference count of an object. PROBE_UNSEEN where it does not follow the references: immortal
 * objects, and types where they are counted by thread; and of NULL, the base of object. */
int64_t probe_refcount(PyObject *object);

/* after - before, PROBE_UNSEEN where one of them is. */
int64_t probe_difference(int64_t after, int64_t before);

/* Puts an exception in flight, and takes it back: 1 when it is still the same, else 0. Whatever is
 * in flight afterwards is gone. */
void probe_exception_raise(struct probe_run *run);
int probe_exception_kept(struct probe_run *run);

/* 1 when an exception is in flight, which is dropped; else 0. */
int probe_exception_drop(void);

/* Exceptions reported to sys.unraisablehook so far. */
int64_t probe_unraisable(struct probe_run *run);

#endif
