#include "pycompat.h"

#include "probe_clock.h"
#include "probe_run.h"
#include "probe_threads.h"

#include <pthread.h>
#include <string.h>

enum {
    THREADS = 4,
    COLLECT_EVERY = 64,
    READ_EVERY = 16, /* a container that only grows takes longer each time */
    VALUES = 8,      /* objects that the threads put into slots */
    MIN_TURNS = GCTAX_FREE_THREADED ? 400 : 600,
    FEWEST_TURNS = 100, /* where instances are slow to make */
    SPARE = 100000      /* references of ours to each: it lives however often it is released */
};

/* Of each kind of instances: longer where the machine is too busy for MIN_TURNS, to a limit. A race
 * of two setters may take a thousand times as many: there is time for it where it is asked for.
 * Where threads run at once, less shows as much. */
static const double seconds = GCTAX_FREE_THREADED ? 0.02 : 0.03, seconds_asked = 0.5,
                    seconds_of_turns = 0.05, most_seconds = 2;

struct crowd {
    struct probe_run *run;
    PyObject *shared; /* an instance, or NULL: each has its own only */
    PyObject *values[VALUES];
    double began, seconds;
    int64_t turns_wanted, turns, turns_before, collections;
};

/* An instance that is made anew while others use it is no use of an instance: nothing guards
 * tp_init against that, CPython's own types included. */
static bool makes_anew(const char *slot)
{
    static const char *const methods[] = {"__init__(", "__setstate__("};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strncmp(slot, methods[i], strlen(methods[i])) == 0)
            return true;
    }
    return false;
}

static void fill(struct crowd *crowd, PyObject *self, int64_t turn)
{
    for (int i = 0; i < crowd->run->slot_count; i++) {
        if (self == crowd->shared && makes_anew(crowd->run->slots[i].name))
            continue;
        (void)probe_put(crowd->run, i, self, crowd->values[(turn + i) % VALUES]);
        PyErr_Clear();
    }
}

static void take_turn(struct crowd *crowd, int64_t turn)
{
    struct probe_run *run = crowd->run;
    PyObject *self = run->subject->make(run->subject->context);
    PyErr_Clear();
    if (self != NULL)
        fill(crowd, self, turn);
    probe_drop(self);
    if (crowd->shared == NULL)
        return;
    fill(crowd, crowd->shared, turn);
    if (turn % READ_EVERY == 0)
        Py_XDECREF(PyObject_Repr(crowd->shared));
    PyErr_Clear();
}

static bool goes_on(struct crowd *crowd)
{
    double passed = probe_now_s() - crowd->began;
    int64_t turns = __atomic_load_n(&crowd->turns, __ATOMIC_RELAXED) - crowd->turns_before;
    return passed < crowd->seconds || (turns < crowd->turns_wanted && passed < most_seconds);
}

static void *be_thread(void *context)
{
    struct crowd *crowd = context;
    PyGILState_STATE state = PyGILState_Ensure();
    for (int64_t turn = 1; goes_on(crowd); turn++) {
        take_turn(crowd, turn);
        __atomic_fetch_add(&crowd->turns, 1, __ATOMIC_RELAXED);
        if (turn % COLLECT_EVERY == 0) {
            if (probe_collect(crowd->run) < 0)
                PyErr_Clear();
            __atomic_fetch_add(&crowd->collections, 1, __ATOMIC_RELAXED);
        }
    }
    PyGILState_Release(state);
    return NULL;
}

static int run_crowd(struct crowd *crowd, struct probe_threads *seen)
{
    pthread_t threads[THREADS];
    int started = 0;
    crowd->began = probe_now_s();
    crowd->turns_before = crowd->turns;
    while (started < THREADS && pthread_create(&threads[started], NULL, be_thread, crowd) == 0)
        started++;
    Py_BEGIN_ALLOW_THREADS for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    Py_END_ALLOW_THREADS seen->threads = started;
    seen->turns = crowd->turns;
    seen->collections = crowd->collections;
    return PyErr_CheckSignals();
}

static int switch_often(void)
{
    PyObject *sys = PyImport_ImportModule("sys");
    PyObject *done = sys != NULL ? PyObject_CallMethod(sys, "setswitchinterval", "d", 1e-5) : NULL;
    Py_XDECREF(sys);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

static int make_values(struct crowd *crowd)
{
    for (int i = 0; i < VALUES; i++) {
        crowd->values[i] = planted_new(&crowd->run->planted);
        if (crowd->values[i] == NULL)
            return -1;
        for (int j = 0; j < SPARE; j++)
            Py_INCREF(crowd->values[i]);
    }
    return 0;
}

/* What the reference counts of the values are to be, and by how much they are off. */
static void compare_counts(const struct crowd *crowd, struct probe_threads *seen)
{
    seen->released = seen->kept = 0;
    for (int i = 0; i < VALUES; i++) {
        int64_t off = (int64_t)Py_REFCNT(crowd->values[i]) - (SPARE + 1);
        seen->released += off < 0 ? -off : 0;
        seen->kept += off > 0 ? off : 0;
    }
}

static int run_both(struct crowd *crowd, struct probe_threads *seen)
{
    struct probe_run *run = crowd->run;
    probe_step(run, "using instances in %d threads, each its own", THREADS);
    if (run_crowd(crowd, seen) < 0)
        return -1;
    probe_step(run, "using one instance in %d threads", THREADS);
    crowd->shared = probe_make(run);
    if (crowd->shared == NULL || run_crowd(crowd, seen) < 0)
        return -1;
    probe_step(run, "destroying an instance that threads have shared");
    probe_drop(crowd->shared);
    crowd->shared = NULL;
    return probe_collect_twice(run);
}

static int body(struct probe_run *run)
{
    struct probe_threads *seen = run->seen;
    static struct crowd crowd; /* what is left keeps the values */
    crowd.run = run;
    crowd.turns_wanted = probe_affordable(run->make_s, FEWEST_TURNS, MIN_TURNS, seconds_of_turns);
    crowd.seconds = probe_fact(run, "threads_long") != NULL ? seconds_asked : seconds;
    seen->gil = !GCTAX_FREE_THREADED;
    if (switch_often() < 0 || make_values(&crowd) < 0)
        return -1;
    if (run_both(&crowd, seen) < 0)
        return -1;
    compare_counts(&crowd, seen);
    if (seen->kept == 0)
        return 0;
    /* The last object put somewhere may lie there for good, in a cache: another time adds none. */
    int64_t once = seen->kept;
    if (run_both(&crowd, seen) < 0)
        return -1;
    compare_counts(&crowd, seen);
    seen->kept_once = once;
    return 0;
}

static const struct probe_field fields[] = {PROBE_THREADS(PROBE_FIELD)};

const struct probe probe_threads = {
    .name = "threads",
    .doc = "Instances used by several threads beside collections.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
