/* The body that both fronts share. */
#ifndef GCTAX_WORKER_H
#define GCTAX_WORKER_H

#include "report.h"
#include "stopwatch.h"
#include "worker_arguments.h"

/* Exit codes (docs/design.md). */
enum { WORKER_OK = 0, WORKER_USAGE = 2, WORKER_NO_INTERPRETER = 3 };

struct worker {
    struct worker_arguments arguments;
    struct report report;
    struct stopwatch stopwatch;
};

/* Parses the command line, starts the clock, takes standard output and prints the first lines.
 * WORKER_OK, or the exit code after one line on standard error. */
int worker_open(struct worker *worker, int argc, char **argv);

/* Runs the command in the interpreter that was started; `base` is the directory that GCTAX_EXT_DIR
 * is relative to. Returns the exit code. */
int worker_run(struct worker *worker, const char *base);

/* Prints a cells row of status skipped (for --check a line on standard error), where no interpreter
 * is needed to know it. Returns the exit code. */
int worker_skip(struct worker *worker, const char *detail);

#endif
