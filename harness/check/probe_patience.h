/* When a process has hung: that its time is over does not say so on a machine that gives it none.
 * Include pycompat.h first. */
#ifndef GCTAX_PROBE_PATIENCE_H
#define GCTAX_PROBE_PATIENCE_H

#include <stdbool.h>
#include <sys/types.h>

/* A time limit is stretched up to so many times while the process waits for a processor. */
enum { PROBE_PATIENCE_MOST = 10 };

struct probe_patience {
    pid_t pid;
    double seconds; /* the limit */
    double began, looked, used;
};

void probe_patience_begin(struct probe_patience *patience, pid_t pid, double seconds);

/* Whether the process is to be killed: its time is over, and it has had as much of a processor, or
 * sleeps, or was waited for long enough. Where /proc is missing, time alone decides. */
bool probe_patience_is_over(struct probe_patience *patience);

#endif
