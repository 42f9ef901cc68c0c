#include "pycompat.h"

#include "probe_alloc.h"
#include "probe_clock.h"
#include "probe_growth.h"
#include "probe_run.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { WARM_UP = 3, ROUNDS = 8, FEWEST = 8, MOST = 256, MOST_AGAIN = 1024 };

/* For all rounds together: slow factories get small rounds. What grows is looked at again over more
 * instances. */
static const double seconds = 0.1, more_seconds = 0.5;

/* Bytes that malloc() has given and not got back, or PROBE_UNSEEN. */
static int64_t malloc_bytes(void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#else
    return PROBE_UNSEEN;
#endif
}

static int use_one(struct probe_run *run, int64_t *puts)
{
    PyObject *self = probe_make_filled(run);
    if (self == NULL)
        return -1;
    for (int i = 0; i < run->slot_count; i++) {
        PyObject *planted = planted_new(&run->planted);
        int put = planted != NULL ? probe_put(run, i, self, planted) : -1;
        Py_XDECREF(planted);
        if (put < 0) {
            probe_drop(self);
            return -1;
        }
        *puts += put;
    }
    probe_drop(self);
    return 0;
}

static int use_many(struct probe_run *run, int64_t instances, int64_t *puts)
{
    *puts = 0;
    for (int64_t i = 0; i < instances; i++) {
        if (use_one(run, puts) < 0)
            return -1;
    }
    return 0;
}

static int one_round(struct probe_run *run, int64_t instances, int64_t *puts)
{
    return use_many(run, instances, puts) < 0 || probe_collect(run) < 0 ? -1 : 0;
}

/* r squared of a straight line through what was measured after each round, in thousandths. */
static int64_t fit_line(const int64_t *values, int count)
{
    double mean = 0, middle = (count - 1) / 2.0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < count; i++)
        mean += (double)(values[i] - values[0]) / count;
    for (int i = 0; i < count; i++) {
        double x = i - middle, y = (double)(values[i] - values[0]) - mean;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    return yy > 0 ? (int64_t)(1000 * xy * xy / (xx * yy)) : 0;
}

static void report(const int64_t *values, int64_t *growth, int64_t *least, int64_t *fit)
{
    if (values[0] == PROBE_UNSEEN)
        return;
    *growth = values[ROUNDS] - values[0];
    *least = values[1] - values[0];
    for (int i = 1; i < ROUNDS; i++) {
        if (values[i + 1] - values[i] < *least)
            *least = values[i + 1] - values[i];
    }
    *fit = fit_line(values, ROUNDS + 1);
}

/* ROUNDS rounds of so many instances. 0, or -1 with an exception. */
static int measure(struct probe_run *run, const struct probe_alloc *alloc, int64_t instances,
                   struct probe_growth *seen)
{
    int64_t blocks[ROUNDS + 1], bytes[ROUNDS + 1], puts = 0;
    blocks[0] = alloc->live;
    bytes[0] = malloc_bytes();
    for (int i = 1; i <= ROUNDS; i++) {
        if (one_round(run, instances, &puts) < 0)
            return -1;
        blocks[i] = alloc->live;
        bytes[i] = malloc_bytes();
    }
    seen->rounds = ROUNDS;
    seen->instances = instances;
    seen->puts = puts;
    report(blocks, &seen->blocks_growth, &seen->blocks_least, &seen->blocks_fit);
    report(bytes, &seen->bytes_growth, &seen->bytes_least, &seen->bytes_fit);
    return 0;
}

static int body(struct probe_run *run)
{
    struct probe_growth *seen = run->seen;
    static struct probe_alloc alloc; /* hooks the allocators of this child for good */
    int64_t puts;
    probe_step(run, "using instances again and again");
    double began = probe_now_s();
    if (use_many(run, FEWEST, &puts) < 0)
        return -1;
    double each = (probe_now_s() - began) / FEWEST;
    int64_t instances = probe_affordable(each, FEWEST, MOST, seconds / (WARM_UP + ROUNDS));
    probe_alloc_open(&alloc);
    for (int i = 0; i < WARM_UP; i++) {
        if (one_round(run, instances, &puts) < 0)
            return -1;
    }
    if (measure(run, &alloc, instances, seen) < 0)
        return -1;
    if (!probe_growth_of_blocks(seen) && !probe_growth_of_bytes(seen))
        return 0;
    /* A list that is pruned now and then grows on a straight line up to there. */
    int64_t more = probe_affordable(each, 0, MOST_AGAIN, more_seconds / ROUNDS);
    return more > instances ? measure(run, &alloc, more, seen) : 0;
}

static const struct probe_field fields[] = {PROBE_GROWTH(PROBE_FIELD)};

const struct probe probe_growth = {
    .name = "growth",
    .doc = "Memory over rounds in which instances are made, filled and destroyed.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
