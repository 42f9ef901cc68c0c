/* Runs one worker process under limits and collects what it prints (docs/design.md, "The worker's
 * command line and what it prints"). */
#ifndef GCTAX_RUNNER_H
#define GCTAX_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "csv.h"
#include "process.h"
#include "record.h"

#define RUNNER_TEXT_SIZE 512
/* What a worker may print in rows before it is stopped: more would not fit into memory. */
#define RUNNER_OUTPUT_MAX (UINT64_C(256) << 20)

struct runner_limits {
    double timeout_s;
    uint64_t memory_bytes; /* UINT64_MAX: none */
};

enum runner_outcome {
    RUNNER_EXITED,      /* by itself or by a signal: see end */
    RUNNER_TIMEOUT,     /* stopped by us */
    RUNNER_MEMORY,      /* the same */
    RUNNER_FLOOD,       /* the same: more than RUNNER_OUTPUT_MAX */
    RUNNER_INTERRUPTED, /* we are asked to stop */
    RUNNER_FAILED       /* did not start: end.exit_code is its errno */
};

struct runner_result {
    enum runner_outcome outcome;
    struct process_end end;
    char phase[32];                    /* the last it told, "" before the first */
    char last_error[RUNNER_TEXT_SIZE]; /* last line on standard error that is not blank */
    int protocol;                      /* of its first line; 0: it printed none */
    char schema[RECORD_SCHEMA_SIZE];
    bool has_cells;      /* `cells` is its row */
    struct record cells; /* owned */
    /* Rows of the other tables as they came, each ended by a line feed; owned. */
    struct csv rows[RECORD_TABLES];
    char bad_row[RUNNER_TEXT_SIZE]; /* the first that is not well formed, else "" */
    double wall_s;
    uint64_t resident_peak_bytes; /* 0: ended before the first look */
};

/* Environment for workers: ours without MALLOC_*, GLIBC_TUNABLES and PYTHON*. What was left out is
 * added to `scrubbed` as NAME=VALUE, each ended by a line feed. One allocated block, or NULL. */
char **runner_environment(char *const *ours, struct csv *scrubbed);

/* Runs it to its end. `result` is filled whatever happens and is the caller's to free. */
void runner_run(const struct process_start *start, const struct runner_limits *limits,
                struct runner_result *result);
void runner_free(struct runner_result *result);

/* Why a worker's result is of no use to us: another protocol or schema, or none. NULL: it is. */
const char *runner_mismatch(const struct runner_result *result, char text[RUNNER_TEXT_SIZE]);

/* Status (a word of cells.csv) and detail of a cell's result. */
const char *runner_status(const struct runner_result *result, const struct runner_limits *limits,
                          char detail[RUNNER_TEXT_SIZE * 2]);

#endif
