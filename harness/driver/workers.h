/* The workers of a run: found, described, asked whether they can open a target. */
#ifndef GCTAX_WORKERS_H
#define GCTAX_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "complain.h"
#include "plan.h"
#include "runner.h"

struct worker_fact {
    char *key, *value;
};

/* All owned. */
struct worker {
    char *name;  /* the column worker; "" until described where it comes from the description */
    char **argv; /* the command's words; argv[0] is a path */
    size_t words;
    struct worker_fact *facts; /* of describe: the keys of docs/design.md */
    size_t fact_count;
    int release; /* minor number of its CPython */
    bool free_threaded;
};

struct workers {
    struct worker *list;
    size_t count;
    char **environment;  /* of all of them */
    struct csv scrubbed; /* what was left out of ours, NAME=VALUE lines */
};

/* Takes the commands (NULL-terminated, or NULL), or where there are none every worker beside the
 * driver and in ../libexec/gctax. Does not run any. Says what is wrong. */
enum exit_code workers_find(struct workers *workers, char *const *commands);
/* One worker from the words of its command, as a plan has kept it. 0, or -1 where memory ran out.
 */
int workers_add(struct workers *workers, const char *name, char *const *words, size_t count);
/* Runs `describe` on each and completes names. Says what is wrong. */
enum exit_code workers_describe(struct workers *workers);
void workers_free(struct workers *workers);

/* What describe said under that key, "" where nothing. */
const char *workers_fact(const struct worker *worker, const char *key);

/* What a worker says of a target. */
struct preflight {
    char status[16];                   /* ok, skipped or error */
    char detail[RUNNER_TEXT_SIZE * 2]; /* why */
};

/* Instances made in a trial. */
#define WORKERS_TRIAL_N 100

/* Asks with these arguments (--target=…, NULL-terminated). EXIT_WELL, or 128 + the signal that
 * stopped us. */
int workers_preflight(const struct workers *workers, const struct worker *worker,
                      const char *const *arguments, struct preflight *preflight);

/* Retains a few instances on the worker, with the arguments of workers_preflight(), and raises what
 * `trial` holds to what it saw. A trial that fails tells nothing: its cells will say why.
 * EXIT_WELL, or as above. */
int workers_trial(const struct workers *workers, const struct worker *worker,
                  const char *const *arguments, struct plan_trial *trial);

/* argv of a command: the worker's words, a verb, and arguments (NULL-terminated). One block that
 * borrows all strings, or NULL. */
const char **workers_command(const struct worker *worker, const char *verb,
                             const char *const *arguments);

#endif
