/* What the machine says of itself: the columns and facts that decide what a time means, and how
 * much memory there is. Linux's /proc and /sys; what is not there stays empty. */
#ifndef GCTAX_SYSINFO_H
#define GCTAX_SYSINFO_H

#include <stdint.h>

struct sysinfo_columns {
    char cpu_model[128], governor[32], aslr[8], thp[16];
};

void sysinfo_columns(struct sysinfo_columns *columns);
/* Load average over one minute; NaN where it cannot be told. */
double sysinfo_load1(void);

/* Calls each(context, key, value) for the facts of environment.csv, scope "machine". */
void sysinfo_each(void (*each)(void *context, const char *key, const char *value), void *context);

/* MemAvailable in bytes from the text of /proc/meminfo; UINT64_MAX where it is not in it. */
uint64_t sysinfo_available(const char *meminfo);

/* The smallest memory limit of the cgroups that a process is in, parents included, versions 1
 * and 2. `cgroup` is the text of its /proc/PID/cgroup, `root` where the hierarchies are mounted
 * (/sys/fs/cgroup). UINT64_MAX: none. */
uint64_t sysinfo_cgroup_limit(const char *root, const char *cgroup);

/* Default of --memory-limit: 80 % of the smaller of both, UINT64_MAX where neither can be told. */
uint64_t sysinfo_memory_limit(void);

#endif
