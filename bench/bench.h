/* gctax-bench: the variants of gctax_ext under Google Benchmark. A kind of benchmark is one file,
 * bench_KIND.c, that ends in its descriptor, and one row of kinds.def; it exists for every variant.
 *
 * What a variant is and how it is driven are the harness's own: the table of the module, target.h
 * and work.h. */
#ifndef GCTAX_BENCH_H
#define GCTAX_BENCH_H

#include "work.h"
#include "work_pools.h"

#include "gbench_shim.h"

enum {
    BENCH_TEXT = 512,
    BENCH_SLOTS = 10000,         /* most instances that a batch keeps */
    BENCH_SLOT_BYTES = 16 << 20, /* and most bytes of them: half of what is resident beforehand */
    BENCH_HEAP_BYTES = 1 << 30   /* most bytes of a live heap */
};

struct bench_kind;

/* What all benchmarks share; lives as long as the process. */
struct bench {
    const struct variant_table *table;
    struct collector collector;
    struct bench_memory *memory; /* NULL: no memory pass */
    gctax_mutex lock;            /* of what follows, where threads run at the same time */
    struct { /* the live heap that the last run of `collect` left for the next */
        const struct bench_subject *subject; /* NULL: there is none */
        PyObject **slots;
        size_t count;
    } heap;
    uint64_t failures; /* runs that went wrong */
};

/* A kind of benchmark on a variant: the argument of its registration. */
struct bench_subject {
    struct bench *bench;
    const struct bench_kind *kind;
    const char *variant;
    struct target target;
    uint64_t bytes;       /* of an instance, at most */
    char why[BENCH_TEXT]; /* it is skipped, and why; "": it is not */
};

/* One run in one thread. */
struct bench_run {
    struct bench_subject *subject;
    struct gbench_state *state;
    struct work work; /* of the target, with a safe point after every operation */
    struct work_pools pools;
    PyThreadState *thread;
    PyGILState_STATE attached;
    char skip[BENCH_TEXT]; /* set by start(): skip the run, and why */
};

struct bench_kind {
    const char *name;
    const char *doc; /* one line: what an iteration is */
    uint64_t batch;  /* most iterations in a batch; 0: as many as there are slots */
    bool retains;    /* work.slots has room for a batch */
    bool automatic;  /* automatic collections stay on */
    const struct gbench_range *range; /* NULL: none */
    enum gbench_complexity complexity;
    enum gbench_unit unit;
    /* All are called attached to the interpreter and return 0, or -1 with an exception. start():
     * may be NULL. */
    int (*start)(struct bench_run *run);
    int (*batch_function)(struct bench_run *run, uint64_t iterations);
    /* Is nothing left over? Single-threaded runs alone. May be NULL. */
    int (*verify)(struct bench_run *run);
    void (*stop)(struct bench_run *run); /* may be NULL */
};

/* The registry, from kinds.def; ends in NULL. */
extern const struct bench_kind *const bench_kinds[];

/* Registers the subject with the functions of its kind. `iterations`: exactly so many, 0: as the
 * library decides. `threads`: besides the run in one thread, one in as many, where the kind retains
 * nothing; 0 or 1: none. 0, or -1 with errno. */
int bench_register(struct bench_subject *subject, uint64_t iterations, int threads);

/* The clock, and the count of allocations, inside batch(). */
void bench_pause(struct bench_run *run);
void bench_resume(struct bench_run *run);

/* Frees the heap that is kept from run to run. */
void bench_heap_release(struct bench *bench);

/* ---- The memory pass (bench_memory.c) ---------------------------------------------------------
 */

/* Allocations of the domains OBJ and MEM inside batches, and the most bytes of them alive at once.
 * Owned by the caller; NULL with an exception. */
struct bench_memory *bench_memory_open(void);
/* Lets the library start and stop it. */
void bench_memory_register(struct bench_memory *memory);
/* Counts from now on, or no longer; nothing where the pass is not running. */
void bench_memory_count(struct bench_memory *memory, bool count);

#endif
