/* Google Benchmark for programs in C. Knows nothing of Python: any C project can take this header
 * and gbench_shim.cc, which is the only C++ and builds with Google Benchmark 1.7.1 and newer.
 *
 *   gbench_init(&argc, argv)          takes the --benchmark_… options out of argv
 *   gbench_register(&benchmark)       as often as there are benchmarks
 *   gbench_run()                      runs those that the options choose, prints and writes results
 *
 * The library iterates in batches: batch() is called once for many iterations, never once for one,
 * so that the call and the library's own loop are no part of what is measured.
 *
 * All strings are UTF-8 and are copied. No function may be called after gbench_shutdown(). Nothing
 * but what says so may be called from more than one thread. */
#ifndef GBENCH_SHIM_H
#define GBENCH_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One run of a benchmark in one thread; lives from start() to stop(). */
struct gbench_state;

enum gbench_unit { GBENCH_UNIT_DEFAULT, GBENCH_NS, GBENCH_US, GBENCH_MS, GBENCH_S };

/* The order of growth that is fitted over the runs that call gbench_set_complexity(). */
enum gbench_complexity {
    GBENCH_COMPLEXITY_NONE,
    GBENCH_COMPLEXITY_1,
    GBENCH_COMPLEXITY_LOG_N,
    GBENCH_COMPLEXITY_N,
    GBENCH_COMPLEXITY_N_LOG_N,
    GBENCH_COMPLEXITY_N_SQUARED,
    GBENCH_COMPLEXITY_N_CUBED,
    GBENCH_COMPLEXITY_AUTO /* the one of these that fits best */
};

/* What the clock of a benchmark is. */
enum gbench_clock {
    GBENCH_CLOCK_CPU,    /* the library's default: iterations are chosen by CPU time */
    GBENCH_CLOCK_REAL,   /* by wall time */
    GBENCH_CLOCK_MANUAL, /* by what batch() reports with gbench_set_time() */
    GBENCH_CLOCK_PROCESS /* by the CPU time of all threads of the process */
};

/* Values of one argument of a benchmark. */
struct gbench_range {
    const char *name; /* in the benchmark's name, NAME:VALUE; NULL: the value alone */
    int64_t from, to; /* both are among the values; 0 <= from <= to, and at most INT64_MAX / 2 */
    int multiplier;   /* each is that many times (2 or more) the one before; 0: `step` says */
    int step;         /* each is that much more than the one before; 0: 1 */
};

/* A benchmark. Whatever is 0 or NULL is left to the library and its options. */
struct gbench_benchmark {
    const char *name; /* needed */
    void *argument;   /* handed to the three functions; has to live as long as gbench_run() */
    /* Each thread of each run, and of each repetition, calls these three, nothing else held or
     * locked; a thread waits for the others between start() and its first batch().
     *
     * start(): outside the clock. May put what the thread needs into *local, which is NULL before,
     * and skip the run (gbench_skip()): then no batch() follows. May be NULL. */
    void (*start)(struct gbench_state *state, void *argument, void **local);
    /* Inside the clock: exactly `iterations` (1 or more) of them, at most `batch_size`. Needed.
     * What it locks it has to unlock before it returns: the library waits for other threads between
     * batches. */
    void (*batch)(struct gbench_state *state, void *argument, void *local, uint64_t iterations);
    /* Outside the clock; called after start(), whether the run was skipped or not. Counters, label
     * and complexity are set here. May be NULL. */
    void (*stop)(struct gbench_state *state, void *argument, void *local);
    uint64_t batch_size; /* most iterations in one call of batch(); 0: 1000 */

    const struct gbench_range *ranges; /* the benchmark runs with each combination of values */
    size_t range_count;
    enum gbench_unit unit;
    enum gbench_clock clock;
    enum gbench_complexity complexity;
    int repetitions;
    double min_time_s;            /* excludes `iterations` */
    uint64_t iterations;          /* exactly so many, whatever time they take */
    int threads_from, threads_to; /* powers of two between, and both; 0: one thread */
};

/* Takes the library's options out of argv. The library exits the process for --help, and with an
 * error where an option of its own is malformed. */
void gbench_init(int *argc, char **argv);
/* Prints the arguments that are left but the first; their number. */
int gbench_unrecognized(int argc, char **argv);
/* A line of the context in which results were made: interpreter, flags … */
void gbench_context(const char *key, const char *value);
/* 0, or -1 with errno: EINVAL where a member is out of its bounds, ENOMEM. */
int gbench_register(const struct gbench_benchmark *benchmark);
/* How many benchmarks (name and arguments) the options chose; 0: their filter matches none. Of JSON
 * and CSV, on standard output and in the file of --benchmark_out, what this prints is strict: no
 * aggregate or counter that is no finite number, and CSV has a column for every counter. Therefore
 * CSV is printed when all is over. */
size_t gbench_run(void);
void gbench_shutdown(void);

/* ---- Inside start(), batch() and stop() -------------------------------------------------------
 */

/* The value of range `index`, below range_count. */
int64_t gbench_value(const struct gbench_state *state, size_t index);
int gbench_threads(const struct gbench_state *state);      /* of this run */
int gbench_thread_index(const struct gbench_state *state); /* 0 <= index < threads */
/* Iterations of this thread: asked for, and done. */
uint64_t gbench_iterations_asked(const struct gbench_state *state);
uint64_t gbench_iterations(const struct gbench_state *state);

/* Stop and start the clock of this thread inside batch(), in pairs. Two reads of the CPU clock each
 * (of the order of a microsecond), a part of which is inside the clock: make batches long. */
void gbench_pause(struct gbench_state *state);
void gbench_resume(struct gbench_state *state);
/* Adds to the time of a benchmark with GBENCH_CLOCK_MANUAL: once a batch, in seconds. */
void gbench_set_time(struct gbench_state *state, double seconds);

/* Why this run has no result: results say so. As an error, from 1.8.0 on without. From start() or
 * batch(), the clock not paused, at most once a run; no batch() follows. */
void gbench_skip(struct gbench_state *state, const char *message);
/* The same for what must not be. */
void gbench_fail(struct gbench_state *state, const char *message);
int gbench_skipped(const struct gbench_state *state);

/* ---- Inside stop() ----------------------------------------------------------------------------
 */

/* How the library shows a counter; flags can be or-ed. Those of all threads are summed before. */
enum {
    GBENCH_COUNTER_PLAIN = 0,
    GBENCH_COUNTER_RATE = 1,          /* a second */
    GBENCH_COUNTER_PER_ITERATION = 2, /* divided by the iterations of all threads */
    GBENCH_COUNTER_PER_THREAD = 4     /* divided by the number of threads */
};
/* 0, or -1 with errno EDOM where the value is no finite number, ENOMEM. */
int gbench_counter(struct gbench_state *state, const char *name, double value, unsigned flags);
void gbench_label(struct gbench_state *state, const char *text);
/* The N that complexity is fitted over; above 0. */
void gbench_set_complexity(struct gbench_state *state, int64_t n);

/* ---- Memory -----------------------------------------------------------------------------------
 */

/* A pass of its own after the timed one, of at most 16 iterations in one thread: allocations an
 * iteration and the peak of bytes stand in the JSON. Of several repetitions they stand in the last
 * one alone, where the library (1.7.1) forgets the others'. */
struct gbench_memory_result {
    int64_t allocations; /* in all iterations */
    int64_t peak_bytes;
};
struct gbench_memory {
    void *argument;
    void (*start)(void *argument); /* before the benchmark's own start() */
    void (*stop)(void *argument, struct gbench_memory_result *result);
};
/* Before gbench_run(); the structure is copied. NULL: no such pass. */
void gbench_set_memory(const struct gbench_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
