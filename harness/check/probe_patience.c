#include "pycompat.h"

#include "probe_clock.h"
#include "probe_patience.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The least that a process which is about something uses between two looks. */
static const double least_s = 0.005;

/* Seconds of a processor that it has had, with children that it has waited for, and its state's
 * letter. 0, or -1 where this cannot be known. */
static int look(pid_t pid, double *used, char *state)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -1;
    const char *rest = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    fclose(file);
    unsigned long own, kernel, children, children_kernel;
    if (rest == NULL || sscanf(rest, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu",
                               state, &own, &kernel, &children, &children_kernel) != 5)
        return -1;
    *used = (double)(own + kernel + children + children_kernel) / (double)sysconf(_SC_CLK_TCK);
    return 0;
}

/* Between two looks. */
static double look_s(const struct probe_patience *patience)
{
    double quarter = patience->seconds / 4;
    return quarter < 0.2 ? 0.2 : quarter > 1 ? 1 : quarter;
}

void probe_patience_begin(struct probe_patience *patience, pid_t pid, double seconds)
{
    *patience = (struct probe_patience){.pid = pid, .seconds = seconds, .began = probe_now_s()};
}

bool probe_patience_is_over(struct probe_patience *patience)
{
    double now = probe_now_s(), used;
    char state;
    if (now - patience->began < patience->seconds || now - patience->looked < look_s(patience))
        return false;
    if (now - patience->began >= PROBE_PATIENCE_MOST * patience->seconds ||
        look(patience->pid, &used, &state) < 0 || used >= patience->seconds)
        return true;
    bool first = patience->looked == 0;
    bool sleeps = state != 'R' && state != 'D' && used - patience->used < least_s;
    patience->looked = now;
    patience->used = used;
    return !first && sleeps;
}
