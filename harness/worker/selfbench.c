/* What the harness itself costs: recording into the histogram beyond the clock reads, and the empty
 * loop of the null target (by the workers that lie beside this program). Figures to look at beside
 * their bounds, each the least of many rounds; nothing fails. */
#include "histogram.h"
#include "record.h"
#include "stopwatch.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SELFBENCH_ROUNDS = 200, SELFBENCH_OPS = 10000 };

/* Time of one round of samples; with or without recording what the clock said. The clock is read
 * twice an operation, as a workload's sample() does. */
static uint64_t selfbench_round(const struct stopwatch *stopwatch, struct histogram *histogram)
{
    uint64_t start = stopwatch_begin(stopwatch);

    for (int i = 0; i < SELFBENCH_OPS; i++) {
        uint64_t begin = stopwatch_begin(stopwatch);
        uint64_t end = stopwatch_end(stopwatch);
        if (histogram != NULL)
            histogram_record(histogram, end - begin);
    }
    return stopwatch_end(stopwatch) - start;
}

static void selfbench_histogram(const struct stopwatch *stopwatch)
{
    struct histogram *histogram = malloc(sizeof *histogram);
    uint64_t with = UINT64_MAX, without = UINT64_MAX;

    if (histogram == NULL) {
        perror("gctax-selfbench");
        exit(1);
    }
    histogram_reset(histogram);
    for (int i = 0; i < SELFBENCH_ROUNDS; i++) {
        uint64_t ticks = selfbench_round(stopwatch, histogram);
        with = ticks < with ? ticks : with;
        ticks = selfbench_round(stopwatch, NULL);
        without = ticks < without ? ticks : without;
    }
    double ns = stopwatch_ns_per_tick(stopwatch) / SELFBENCH_OPS;
    printf("%-44s %6.2f ns  (bound 5)\n", "histogram: one record beyond two clock reads",
           ((double)with - (double)without) * ns);
    printf("%-44s %6.2f ns\n", "clock: two reads", (double)without * ns);
    free(histogram);
}

/* One addition that waits for the last one takes one cycle on every core that there is: what the
 * bounds below, in ns, mean at the rate at which this one runs. Returns the cycle in ns. */
static double selfbench_cycle(const struct stopwatch *stopwatch)
{
    uint64_t least = UINT64_MAX;

    for (int round = 0; round < SELFBENCH_ROUNDS; round++) {
        uint64_t sum = 0, begin = stopwatch_begin(stopwatch);
        for (int i = 0; i < SELFBENCH_OPS; i++) {
#pragma GCC unroll 16
            for (int add = 0; add < 16; add++) {
                sum++;
                __asm__ volatile("" : "+r"(sum));
            }
        }
        uint64_t ticks = stopwatch_end(stopwatch) - begin;
        least = ticks < least ? ticks : least;
    }
    return (double)least * stopwatch_ns_per_tick(stopwatch) / SELFBENCH_OPS / 16;
}

static __attribute__((noinline)) void selfbench_callee(void)
{
    __asm__ volatile("");
}

/* A call and its return, in ns: what no loop that drives a target can do without. */
static double selfbench_call(const struct stopwatch *stopwatch)
{
    uint64_t least = UINT64_MAX;

    for (int round = 0; round < SELFBENCH_ROUNDS; round++) {
        uint64_t begin = stopwatch_begin(stopwatch);
        for (int i = 0; i < SELFBENCH_OPS; i++) {
#pragma GCC unroll 16
            for (int call = 0; call < 16; call++)
                selfbench_callee();
        }
        uint64_t ticks = stopwatch_end(stopwatch) - begin;
        least = ticks < least ? ticks : least;
    }
    return (double)least * stopwatch_ns_per_tick(stopwatch) / SELFBENCH_OPS / 16;
}

/* op_min_ns of a cell that does nothing, as the worker prints it; -1 where it does not run. */
static double selfbench_null(const char *worker)
{
    char command[PATH_MAX + 128], *line = NULL;
    size_t size = 0;
    double least = -1;

    snprintf(command, sizeof command,
             "'%s' cell --target=null --workload=churn --safepoint_every=0 --samples=0 "
             "--batches=%d --n=%d",
             worker, SELFBENCH_ROUNDS, SELFBENCH_OPS);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL)
        return -1;
    while (getline(&line, &size, pipe) > 0) {
        struct record row;
        if (strncmp(line, "cells,", 6) != 0)
            continue;
        record_init(&row, RECORD_CELLS);
        if (record_parse(&row, line + 6) == 0)
            least = strtod(record_get(&row, CELLS_op_min_ns), NULL);
        record_free(&row);
    }
    free(line);
    return pclose(pipe) == 0 ? least : -1;
}

int main(void)
{
    struct stopwatch stopwatch;
    char pattern[PATH_MAX] = "";
    glob_t workers;

    stopwatch_open(&stopwatch);
    selfbench_histogram(&stopwatch);
    double cycle = selfbench_cycle(&stopwatch);
    double call = selfbench_call(&stopwatch);
    printf("%-44s %6.2f ns\n", "core: one cycle", cycle);
    printf("%-44s %6.2f ns, %.1f cycles\n", "core: a call and its return", call, call / cycle);

    ssize_t length = readlink("/proc/self/exe", pattern, sizeof pattern - 32);
    if (length < 0)
        return 0;
    pattern[length] = '\0';
    strcpy(strrchr(pattern, '/'), "/gctax-worker-*.*.*");
    if (glob(pattern, 0, NULL, &workers) != 0) {
        printf("no worker lies beside this program: the empty loop was not measured\n");
        return 0;
    }
    for (size_t i = 0; i < workers.gl_pathc; i++) {
        char name[128];
        double least = selfbench_null(workers.gl_pathv[i]);
        snprintf(name, sizeof name, "empty loop: %s", strrchr(workers.gl_pathv[i], '/') + 1);
        if (least < 0)
            printf("%-44s did not run\n", name);
        else
            printf("%-44s %6.2f ns  (bound 1), %.1f cycles, %.2f ns beyond the call\n", name, least,
                   least / cycle, least - call);
    }
    globfree(&workers);
    return 0;
}
