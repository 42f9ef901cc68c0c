/* The shim by itself, in plain C: benchmarks that note how they are called, and what has to be true
 * of the notes when all have run. Exits with 1 after a line for each thing that is not.
 *
 * Without arguments of its own: those of the library choose and print as usual, so that
 * test_bench.py reads the JSON and CSV of the same benchmarks. What was not chosen is not checked.
 */
#include "../gbench_shim.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int failures;

#define EXPECT_EQUAL(have, want)                                                                   \
    do {                                                                                           \
        long long have_ = (long long)(have), want_ = (long long)(want);                            \
        if (have_ != want_) {                                                                      \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #have, have_,     \
                    want_);                                                                        \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* What a benchmark notes of its calls; all threads, under `lock`. */
struct notes {
    pthread_mutex_t lock;
    uint64_t starts, stops, batches, iterations, longest, shortest;
    int64_t values[24]; /* of the ranges, one a start() */
};

static void note_start(struct gbench_state *state, void *argument, void **local)
{
    struct notes *notes = argument;
    pthread_mutex_lock(&notes->lock);
    EXPECT_EQUAL(*local == NULL, 1);
    *local = notes;
    EXPECT_EQUAL(gbench_iterations_asked(state) > 0, 1);
    notes->starts++;
    pthread_mutex_unlock(&notes->lock);
}

/* Holds a lock that both threads need, as a batch that attaches to an interpreter does. */
static void note_batch(struct gbench_state *state, void *argument, void *local, uint64_t iterations)
{
    struct notes *notes = argument;
    (void)state;
    pthread_mutex_lock(&notes->lock);
    EXPECT_EQUAL(local == argument, 1);
    notes->batches++;
    notes->iterations += iterations;
    if (iterations > notes->longest)
        notes->longest = iterations;
    if (notes->shortest == 0 || iterations < notes->shortest)
        notes->shortest = iterations;
    pthread_mutex_unlock(&notes->lock);
}

static void note_stop(struct gbench_state *state, void *argument, void *local)
{
    struct notes *notes = argument;
    pthread_mutex_lock(&notes->lock);
    EXPECT_EQUAL(local == argument, 1);
    if (!gbench_skipped(state))
        EXPECT_EQUAL(gbench_iterations(state), gbench_iterations_asked(state));
    notes->stops++;
    pthread_mutex_unlock(&notes->lock);
}

/* ---- Fixed iterations in batches --------------------------------------------------------------
 */

static struct notes batches = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void check_batches(void)
{
    /* The memory pass asks for at most 16: one more run, and one more batch. */
    EXPECT_EQUAL(batches.starts, 2);
    EXPECT_EQUAL(batches.stops, 2);
    EXPECT_EQUAL(batches.longest, 1000);
    EXPECT_EQUAL(batches.shortest, 16);
    EXPECT_EQUAL(batches.batches, 4);
    EXPECT_EQUAL(batches.iterations, 2500 + 16);
}

/* ---- Two ranges, repetitions ------------------------------------------------------------------
 */

static struct notes ranges = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void ranges_start(struct gbench_state *state, void *argument, void **local)
{
    note_start(state, argument, local);
    if (ranges.starts <= 24)
        ranges.values[ranges.starts - 1] = gbench_value(state, 0) * 100 + gbench_value(state, 1);
}

static void check_ranges(void)
{
    const int64_t want[] = {101, 1001, 10001, 103, 1003, 10003};
    /* Each of 3 x 2 twice, each time with its memory pass. */
    EXPECT_EQUAL(ranges.starts, 3 * 2 * 2 * 2);
    for (int i = 0; i < 6; i++) {
        int found = 0;
        for (int j = 0; j < 24; j++)
            found += ranges.values[j] == want[i];
        EXPECT_EQUAL(found, 4);
    }
}

/* ---- Skipping ---------------------------------------------------------------------------------
 */

static struct notes skipped = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct notes stopped = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void skipped_start(struct gbench_state *state, void *argument, void **local)
{
    note_start(state, argument, local);
    gbench_skip(state, "needs a \"later\" release");
}

static void stopped_batch(struct gbench_state *state, void *argument, void *local,
                          uint64_t iterations)
{
    note_batch(state, argument, local, iterations);
    gbench_fail(state, "went wrong");
}

static void check_skipped(void)
{
    EXPECT_EQUAL(skipped.batches, 0);
    EXPECT_EQUAL(skipped.starts > 0, 1);
    EXPECT_EQUAL(skipped.stops, skipped.starts);
    EXPECT_EQUAL(stopped.batches, stopped.starts); /* none after the one that failed */
    EXPECT_EQUAL(stopped.stops, stopped.starts);
}

/* ---- Threads ----------------------------------------------------------------------------------
 */

static struct notes threads = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int threads_seen[2];

static void threads_start(struct gbench_state *state, void *argument, void **local)
{
    note_start(state, argument, local);
    if (gbench_threads(state) == 2) {
        pthread_mutex_lock(&threads.lock);
        threads_seen[gbench_thread_index(state)]++;
        pthread_mutex_unlock(&threads.lock);
    }
}

static void check_threads(void)
{
    EXPECT_EQUAL(threads_seen[0] > 0, 1);
    EXPECT_EQUAL(threads_seen[1] > 0, 1);
    EXPECT_EQUAL(threads.iterations, 2 * 5000 + 16);
}

/* ---- Clocks, counters, complexity -------------------------------------------------------------
 */

static struct notes manual = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct notes nothing = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct notes paused = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct notes growth = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A microsecond an iteration, whatever it took. */
static void manual_batch(struct gbench_state *state, void *argument, void *local,
                         uint64_t iterations)
{
    note_batch(state, argument, local, iterations);
    gbench_set_time(state, 1e-6 * (double)iterations);
}

static void counting_stop(struct gbench_state *state, void *argument, void *local)
{
    note_stop(state, argument, local);
    EXPECT_EQUAL(gbench_counter(state, "each", 3.0 * (double)gbench_iterations(state),
                                GBENCH_COUNTER_PER_ITERATION),
                 0);
    EXPECT_EQUAL(gbench_counter(state, "rate", 5.0, GBENCH_COUNTER_RATE), 0);
    errno = 0;
    EXPECT_EQUAL(gbench_counter(state, "nan", NAN, GBENCH_COUNTER_PLAIN), -1);
    EXPECT_EQUAL(errno, EDOM);
    EXPECT_EQUAL(gbench_counter(state, "infinite", INFINITY, GBENCH_COUNTER_PLAIN), -1);
    gbench_label(state, "counted");
}

static void spend(double seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) <
           seconds);
}

/* 20 ms outside the clock for each batch of one iteration. */
static void paused_batch(struct gbench_state *state, void *argument, void *local,
                         uint64_t iterations)
{
    gbench_pause(state);
    spend(0.02);
    gbench_resume(state);
    note_batch(state, argument, local, iterations);
}

static void growth_batch(struct gbench_state *state, void *argument, void *local,
                         uint64_t iterations)
{
    note_batch(state, argument, local, iterations);
    gbench_set_time(state, 1e-9 * (double)(gbench_value(state, 0) * (int64_t)iterations));
}

static void growth_stop(struct gbench_state *state, void *argument, void *local)
{
    note_stop(state, argument, local);
    gbench_set_complexity(state, gbench_value(state, 0));
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

static int memory_starts, memory_stops;

static void memory_start(void *argument)
{
    EXPECT_EQUAL(*(int *)argument, 7);
    memory_starts++;
}

static void memory_stop(void *argument, struct gbench_memory_result *result)
{
    EXPECT_EQUAL(*(int *)argument, 7);
    memory_stops++;
    result->allocations = 32;
    result->peak_bytes = 4096;
}

/* ---- Registration -----------------------------------------------------------------------------
 */

static void check_refused(void)
{
    const struct gbench_range backwards = {.from = 2, .to = 1},
                              zero = {.from = 0, .to = 9, .multiplier = 1};
    const struct gbench_benchmark wrong[] = {
        {.batch = note_batch},
        {.name = "", .batch = note_batch},
        {.name = "no batch"},
        {.name = "both", .batch = note_batch, .iterations = 1, .min_time_s = 1},
        {.name = "time", .batch = note_batch, .min_time_s = NAN},
        {.name = "repetitions", .batch = note_batch, .repetitions = -1},
        {.name = "threads", .batch = note_batch, .threads_from = 2, .threads_to = 1},
        {.name = "no ranges", .batch = note_batch, .range_count = 1},
        {.name = "backwards", .batch = note_batch, .ranges = &backwards, .range_count = 1},
        {.name = "multiplier", .batch = note_batch, .ranges = &zero, .range_count = 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        errno = 0;
        int refused = gbench_register(&wrong[i]);
        if (refused != -1 || errno != EINVAL)
            fprintf(stderr, "'%s' was not refused\n", wrong[i].name == NULL ? "" : wrong[i].name);
        EXPECT_EQUAL(refused, -1);
        EXPECT_EQUAL(errno, EINVAL);
    }
}

int main(int argc, char **argv)
{
    static const struct gbench_range two[] = {{.name = "a", .from = 1, .to = 100, .multiplier = 10},
                                              {.from = 1, .to = 3, .step = 2}};
    static const struct gbench_range sizes = {.from = 1000, .to = 1000000, .multiplier = 10};
    const struct gbench_benchmark benchmarks[] = {
        /* Without counters, and first: the header of a CSV must have those of the next all the
         * same. */
        {.name = "batches",
         .argument = &batches,
         .start = note_start,
         .batch = note_batch,
         .stop = note_stop,
         .iterations = 2500},
        {.name = "ranges",
         .argument = &ranges,
         .start = ranges_start,
         .batch = note_batch,
         .stop = note_stop,
         .ranges = two,
         .range_count = 2,
         .repetitions = 2,
         .iterations = 3},
        {.name = "skipped",
         .argument = &skipped,
         .start = skipped_start,
         .batch = note_batch,
         .stop = note_stop},
        {.name = "stopped",
         .argument = &stopped,
         .start = note_start,
         .batch = stopped_batch,
         .stop = note_stop,
         .iterations = 5000},
        {.name = "threads",
         .argument = &threads,
         .start = threads_start,
         .batch = note_batch,
         .stop = note_stop,
         .threads_from = 2,
         .threads_to = 2,
         .iterations = 5000,
         .clock = GBENCH_CLOCK_REAL},
        {.name = "manual",
         .argument = &manual,
         .start = note_start,
         .batch = manual_batch,
         .stop = counting_stop,
         .clock = GBENCH_CLOCK_MANUAL,
         .unit = GBENCH_US,
         .iterations = 2000},
        /* A rate over no time. */
        {.name = "nothing",
         .argument = &nothing,
         .start = note_start,
         .batch = note_batch,
         .stop = counting_stop,
         .clock = GBENCH_CLOCK_MANUAL,
         .repetitions = 3,
         .iterations = 10},
        {.name = "paused",
         .argument = &paused,
         .start = note_start,
         .batch = paused_batch,
         .stop = note_stop,
         .batch_size = 1,
         .iterations = 3,
         .unit = GBENCH_MS},
        {.name = "growth",
         .argument = &growth,
         .start = note_start,
         .batch = growth_batch,
         .stop = growth_stop,
         .ranges = &sizes,
         .range_count = 1,
         .clock = GBENCH_CLOCK_MANUAL,
         .complexity = GBENCH_COMPLEXITY_N,
         .iterations = 10},
    };
    static int argument = 7;
    const struct gbench_memory memory = {&argument, memory_start, memory_stop};

    const int all = argc == 1;
    gbench_init(&argc, argv);
    if (gbench_unrecognized(argc, argv) > 0)
        return 2;
    gbench_context("key", "a \"quoted\" value");
    check_refused();
    for (size_t i = 0; i < sizeof benchmarks / sizeof benchmarks[0]; i++)
        EXPECT_EQUAL(gbench_register(&benchmarks[i]), 0);
    gbench_set_memory(&memory);
    size_t chosen = gbench_run();
    gbench_shutdown();

    if (all) {
        EXPECT_EQUAL(chosen, 17); /* six of ranges, four of growth, seven others */
        check_batches();
        check_ranges();
        check_skipped();
        check_threads();
    }
    EXPECT_EQUAL(memory_starts, memory_stops);
    EXPECT_EQUAL(memory_starts > 0 || chosen == 0, 1);
    return failures == 0 ? 0 : 1;
}
