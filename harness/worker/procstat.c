#include "procstat.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number after `key` at the start of a line of a file in /proc; NaN where there is none. Reads
 * with a buffer on the stack: stdio's would be a block of the heap that is being measured. */
static double procstat_number(const char *path, const char *key)
{
    char text[8192];
    size_t length = 0, key_length = strlen(key);
    ssize_t got;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return NAN;
    while (length < sizeof text - 1 &&
           (got = read(fd, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    close(fd);
    text[length] = '\0';
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, key_length) == 0) {
            line += key_length;
            line += strspn(line, " \t:");
            return strtod(line, NULL);
        }
    }
    return NAN;
}

static uint64_t procstat_kilobytes(const char *path, const char *key)
{
    double kilobytes = procstat_number(path, key);
    return isnan(kilobytes) ? 0 : (uint64_t)kilobytes * 1024;
}

/* The eighth number of the first line of /proc/stat, in clock ticks. */
static double procstat_steal_s(void)
{
    char text[512];
    unsigned long long steal;
    int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return NAN;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0)
        return NAN;
    text[length] = '\0';
    if (sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
        return NAN;
    return (double)steal / (double)sysconf(_SC_CLK_TCK);
}

static double procstat_seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

void procstat_read(struct procstat *procstat)
{
    struct rusage usage;

    *procstat = (struct procstat){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    procstat->migrations = procstat_number("/proc/self/sched", "se.nr_migrations");
    procstat->steal_s = procstat_steal_s();
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        procstat->user_s = procstat_seconds(usage.ru_utime);
        procstat->system_s = procstat_seconds(usage.ru_stime);
        procstat->faults_minor = (double)usage.ru_minflt;
        procstat->faults_major = (double)usage.ru_majflt;
        procstat->switches_voluntary = (double)usage.ru_nvcsw;
        procstat->switches_involuntary = (double)usage.ru_nivcsw;
    }
}

struct procstat procstat_since(const struct procstat *before, const struct procstat *after)
{
    return (struct procstat){
        .user_s = after->user_s - before->user_s,
        .system_s = after->system_s - before->system_s,
        .faults_minor = after->faults_minor - before->faults_minor,
        .faults_major = after->faults_major - before->faults_major,
        .switches_voluntary = after->switches_voluntary - before->switches_voluntary,
        .switches_involuntary = after->switches_involuntary - before->switches_involuntary,
        .migrations = after->migrations - before->migrations,
        .steal_s = after->steal_s - before->steal_s,
    };
}

uint64_t procstat_resident(void)
{
    uint64_t bytes = procstat_kilobytes("/proc/self/smaps_rollup", "Rss:");
    return bytes != 0 ? bytes : procstat_kilobytes("/proc/self/status", "VmRSS:");
}

uint64_t procstat_proportional(void)
{
    return procstat_kilobytes("/proc/self/smaps_rollup", "Pss:");
}

double procstat_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_minflt : NAN;
}

uint64_t procstat_peak(void)
{
    return procstat_kilobytes("/proc/self/status", "VmHWM:");
}

bool procstat_reset_peak(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    bool done = write(fd, "5", 1) == 1;
    close(fd);
    return done;
}

uint64_t procstat_available(void)
{
    return procstat_kilobytes("/proc/meminfo", "MemAvailable:");
}
