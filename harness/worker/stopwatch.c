#include "stopwatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* CPUID: the counter is invariant. */
static bool stopwatch_cpu_has_tsc(void)
{
    unsigned eax, ebx, ecx, edx;

    return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) && (edx & (1u << 8));
}

/* The kernel watches the counter and takes "tsc" off this list when it finds it unstable. In a
 * guest the list may hold kvm-clock alone, which is computed from the same counter. Where there is
 * no list (a chroot without /sys), CPUID has the last word. */
static bool stopwatch_kernel_trusts_tsc(void)
{
    char line[256] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");

    if (file == NULL)
        return true;
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    return !read || strstr(line, "tsc") != NULL || strstr(line, "kvm-clock") != NULL;
}
#endif

/* One reading of both clocks. Of several, the one with the shortest way between its two reads of
 * the tick counter: the others were interrupted. */
static void stopwatch_pair(const struct stopwatch *stopwatch, uint64_t *ticks, uint64_t *ns)
{
    uint64_t shortest = UINT64_MAX;

    for (int attempt = 0; attempt < 5; attempt++) {
        uint64_t before = stopwatch_begin(stopwatch);
        uint64_t middle = stopwatch_monotonic_ns();
        uint64_t after = stopwatch_end(stopwatch);
        if (after - before < shortest) {
            shortest = after - before;
            *ticks = before + shortest / 2;
            *ns = middle;
        }
    }
}

void stopwatch_open(struct stopwatch *stopwatch)
{
    *stopwatch = (struct stopwatch){0};
#if defined(__x86_64__)
    stopwatch->tsc = stopwatch_cpu_has_tsc() && stopwatch_kernel_trusts_tsc();
#endif
    stopwatch_pair(stopwatch, &stopwatch->first_ticks, &stopwatch->first_ns);
}

double stopwatch_ns_per_tick(const struct stopwatch *stopwatch)
{
    uint64_t ticks, ns;

    if (!stopwatch->tsc)
        return 1.0;
    do
        stopwatch_pair(stopwatch, &ticks, &ns);
    while (ns - stopwatch->first_ns < UINT64_C(10000000));
    return (double)(ns - stopwatch->first_ns) / (double)(ticks - stopwatch->first_ticks);
}

static int stopwatch_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

uint64_t stopwatch_cost_ticks(const struct stopwatch *stopwatch)
{
    enum { READS = 1001 };
    uint64_t distance[READS];

    for (int i = 0; i < READS; i++) {
        uint64_t begin = stopwatch_begin(stopwatch);
        distance[i] = stopwatch_end(stopwatch) - begin;
    }
    qsort(distance, READS, sizeof distance[0], stopwatch_compare);
    return distance[READS / 2];
}

static uint64_t stopwatch_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t stopwatch_step_ticks(const struct stopwatch *stopwatch)
{
    enum { READS = 1000 };
    uint64_t step = 0, last = stopwatch_begin(stopwatch);

    for (int i = 0; i < READS; i++) {
        uint64_t now = stopwatch_begin(stopwatch);
        step = stopwatch_common_divisor(now - last, step);
        last = now;
    }
    return step;
}

const char *stopwatch_name(const struct stopwatch *stopwatch)
{
    return stopwatch->tsc ? "tsc" : "monotonic";
}
