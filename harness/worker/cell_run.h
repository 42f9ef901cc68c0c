/* One cell, from the opened interpreter to its row of cells.csv. */
#ifndef GCTAX_CELL_RUN_H
#define GCTAX_CELL_RUN_H

#include "gchook.h"
#include "memory.h"
#include "work.h"

#include "cell.h"
#include "report.h"

struct variant_table;

/* What the front gives. */
struct cell_request {
    struct cell cell; /* unset sizes are filled in from the workload's row */
    uint64_t hash_seed;
    uint64_t
        seed;  /* of the workload's random numbers: a function of the repeat, as the hash seed */
    bool venv; /* modules are looked for in a virtual environment */
};

/* What the passes share. */
struct cell_run {
    const struct cell_request *request;
    const struct cell *cell;
    const struct workload *workload;
    const struct stopwatch *stopwatch;
    struct report *report;
    struct record *row;
    struct collector collector;
    struct target target, null;
    struct work work;
    struct gchook hook;
    struct histogram *histogram; /* owned */
    const char *allocator;       /* the active one */
    uint64_t default_thresholds[3];
    bool automatic;         /* gc_mode on or frozen */
    double hook_cost_ns;    /* NaN until the pauses pass */
    uint64_t floating_most; /* instances dropped and not collected, the most that was seen */
};

/* Opens the target and prints a cells row that says what it is, or status and detail. */
void cell_preflight(struct report *report, const struct stopwatch *stopwatch,
                    const struct cell_request *request, const struct variant_table *table);
/* Runs all passes and prints their rows; the cells row comes last. */
void cell_run(struct report *report, const struct stopwatch *stopwatch,
              const struct cell_request *request, const struct variant_table *table);

/* The passes: each sets its columns, and returns 0 or -1 with an exception. */
int pass_timing(struct cell_run *run);
int pass_latency(struct cell_run *run);
int pass_pauses(struct cell_run *run);
int pass_memory(struct cell_run *run);
/* For a workload that looks for floating garbage in its own way. */
int pass_garbage(struct cell_run *run);
/* One batch of everything, nothing recorded. */
int pass_warmup(struct cell_run *run);

/* How a pass begins (pass.c): thresholds and mode set anew, the collector run until it finds
 * nothing, the workload started on `target` and, where it keeps a heap, that heap old. */
int pass_begin(struct cell_run *run, const struct target *target);
/* Verifies (where nothing has failed: `failed` is 0), stops the workload, and collects what is
 * left. Returns `failed`, or -1 with an exception. */
int pass_end(struct cell_run *run, int failed);

/* A row's pass of the memory kind that the prefaulted pool is sized by. */
int pass_prefault(struct cell_run *run);

#endif
