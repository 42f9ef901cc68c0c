/* What the kernel says of this process and of the machine around it. Knows nothing of Python. */
#ifndef GCTAX_PROCSTAT_H
#define GCTAX_PROCSTAT_H

#include <stdbool.h>
#include <stdint.h>

/* Counters since the start of the process; of steal, since the start of the machine. NaN: the
 * kernel does not say. */
struct procstat {
    double user_s, system_s;
    double faults_minor, faults_major;
    double switches_voluntary, switches_involuntary;
    double migrations; /* /proc/self/sched, where the kernel is built with it */
    double steal_s;    /* all CPUs together */
};

void procstat_read(struct procstat *procstat);
/* What `after` counted since `before`, member by member. */
struct procstat procstat_since(const struct procstat *before, const struct procstat *after);

/* Sizes in bytes; 0 where the kernel does not say. The resident set comes from smaps_rollup, which
 * walks the page tables (some 100 us): statm and status add up per-CPU counters that lag behind by
 * up to 64 pages each. */
uint64_t procstat_resident(void);
uint64_t procstat_proportional(void);
/* Minor page faults of the process so far. */
double procstat_faults(void);
/* VmHWM: the largest resident set since the process's exec, or since procstat_reset_peak(). Not
 * ru_maxrss, which survives exec. */
uint64_t procstat_peak(void);
/* False where the kernel does not allow it: the peak then is that of the whole process. */
bool procstat_reset_peak(void);
/* MemAvailable of the machine. */
uint64_t procstat_available(void);

#endif
