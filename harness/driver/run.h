/* `gctax run`: a run from its options to its last row. */
#ifndef GCTAX_RUN_H
#define GCTAX_RUN_H

#include "journal.h"
#include "options.h"
#include "plan.h"
#include "workers.h"

#ifndef GCTAX_VERSION
#define GCTAX_VERSION "0.1.0"
#endif

#define RUN_ID_SIZE 40

/* A target that a worker cannot open: its cells are skipped there. */
struct run_refusal {
    size_t worker;
    char *target, *reason; /* owned */
};

/* All that is decided before the first cell runs; the file `plan` holds it (planfile.h). */
struct run {
    struct options options;
    char id[RUN_ID_SIZE];
    unsigned repeats;
    struct workers workers;
    struct plan plan; /* in the order of execution */
    struct run_refusal *refusals;
    size_t refusal_count;
    uint64_t memory_limit_bytes; /* of this machine, now */
};

/* The command: argv[0] is "run". Exit code of gctax. */
int run_command(int argc, const char **argv);

/* Decides everything anew from run->options, which were read. Writes nothing. Exit code. */
int run_prepare(struct run *run);
/* run->memory_limit_bytes from the options and the machine. */
void run_limit_memory(struct run *run);
/* Makes folders among the options absolute, so that they mean the same from anywhere. 0 or -1. */
int run_absolute(struct options *options);
int run_refuse(struct run *run, size_t worker, const char *target, const char *reason);
void run_free(struct run *run);

/* Why a job is not run, or NULL. */
const char *run_skip(const struct run *run, const struct plan_job *job,
                     char reason[PLAN_REASON_SIZE]);
/* argv of a job's process: one block; `block` owns some of its strings. Both to be freed; or NULL.
 */
const char **run_arguments(const struct run *run, const struct plan_job *job, char **block);

/* Prints the plan, or with an open journal what is left of it. Exit code. */
int run_dry(const struct run *run, const struct journal *journal);
/* The text of environment.csv. 0, or -1 where memory ran out. */
int run_environment(const struct run *run, int argc, const char **argv, struct csv *text);
/* Runs what the journal lacks. Exit code. */
int run_execute(const struct run *run, struct journal *journal);

#endif
