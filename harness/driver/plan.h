/* What is run, and in which order: options and presets become cells, cells become jobs. Pure: knows
 * of no file and no process. */
#ifndef GCTAX_PLAN_H
#define GCTAX_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "complain.h"
#include "options.h"
#include "workload_row.h"

/* threshold0 that the safe point's cap assumes where a cell leaves the interpreter's own: the
 * smallest default among releases (700 up to 3.12, 2000 from 3.13), so that the cell is the same
 * for all of them. */
#define PLAN_DEFAULT_THRESHOLD0 700
/* A safe point comes at least so often in the allocations between two collections. */
#define PLAN_SAFEPOINT_SHARE 32
/* Reason of a skipped cell, with its NUL. */
#define PLAN_REASON_SIZE 160

struct plan_cell {
    struct cell cell; /* its text is owned by the plan or lasts as long as the program */
    char id[CELL_ID_SIZE];
    char twin[CELL_ID_SIZE]; /* id of the same cell with the variant's twin (plan_shuffle) */
};

struct plan {
    struct plan_cell *cells;
    size_t count, capacity;
    char **owned;
    size_t owned_count;
};

/* What a trial told of one of the user's targets. */
struct plan_trial {
    const char *target; /* borrowed */
    uint64_t bytes;     /* of one instance; 0: not known */
    double ns;          /* to make and free one; 0: not known */
};

/* What default sizes have to fit into. Sizes that the user names stay as they are. */
struct plan_limits {
    uint64_t memory_limit_bytes; /* UINT64_MAX: none */
    const struct plan_trial *trials;
    size_t trial_count;
};

/* What the instances of a workload's own n or live may take: 50,000 of 8 KiB each were a minute of
 * work, and written and read over and over by every pass. */
#define PLAN_RETAINED_BYTES (UINT64_C(128) << 20)

/* What the timed batches of a cell, and its single operations, may take at default sizes: a user's
 * target that is slower gets a tenth of them, or a hundredth … Powers of ten, so that the noise of
 * a trial seldom changes a cell's id. The types of variants.def never come near. */
#define PLAN_BATCHES_S 4.0
#define PLAN_SAMPLES_S 2.0

/* One process to be run: a cell, a worker (by its place in the list of workers), a repeat. */
struct plan_job {
    const struct plan_cell *cell;
    size_t worker;
    unsigned repeat;
};

/* Are the lists right, and the names in them known? Says what is wrong. */
enum exit_code plan_check(const struct options *options);
/* Fills an empty plan with each cell once, in the order of the sweeps. Says what is wrong; no cell
 * at all is wrong. `options` passed plan_check(). */
enum exit_code plan_expand(struct plan *plan, const struct options *options,
                           const struct plan_limits *limits);
void plan_free(struct plan *plan);

/* Adds a cell whose text the plan copies. 0, or -1 where memory ran out. */
int plan_add(struct plan *plan, const struct cell *cell);

/* Keeps the first of equal cells. 0, or -1 where memory ran out. */
int plan_drop_doubles(struct plan *plan);

/* Shuffles the cells, twins staying together: the same seed and cells, the same order. */
void plan_shuffle(struct plan *plan, uint64_t seed);
/* Keeps every count-th cell from the index-th on: the shards of one plan are a partition of it. */
void plan_shard(struct plan *plan, unsigned index, unsigned count);

size_t plan_jobs(const struct plan *plan, size_t workers, unsigned repeats);
/* The job at a place of the order of execution. The repeats are outermost, a cell's workers run
 * back to back, and which of them begins rotates, so that a drift of the machine meets all alike.
 */
struct plan_job plan_job(const struct plan *plan, size_t workers, size_t index);

/* The largest distance of safe points that a cell of this threshold0 (CELL_UNSET: the interpreter's
 * own) may have: threshold0 / 32, at least 1. */
uint64_t plan_safepoint_cap(uint64_t threshold0);

/* The worker's --seed: a function of the repeat alone, so that all cells and workers of a repeat
 * share it. */
uint64_t plan_worker_seed(unsigned repeat);

/* Why instances of a target cannot hold each other as the workload wants it, as far as the tables
 * tell; else NULL. */
const char *plan_unlinkable(const struct workload_row *workload, const char *target);

/* Why the cell cannot be run on CPython 3.`release`; NULL where it can. */
const char *plan_skip(const struct cell *cell, int release, bool free_threaded,
                      char reason[PLAN_REASON_SIZE]);

#endif
