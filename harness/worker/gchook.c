#include "gchook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "work.h"

uint64_t gchook_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static int gchook_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t gchook_median(uint64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, gchook_compare);
    return values[count / 2];
}

uint64_t gchook_cpu_clock_cost_ns(void)
{
    uint64_t distance[51];

    for (int i = 0; i < 51; i++) {
        uint64_t before = gchook_cpu_ns();
        distance[i] = gchook_cpu_ns() - before;
    }
    return gchook_median(distance, 51);
}

void gchook_note_floating(struct gchook *hook)
{
    uint64_t floating = hook->work == NULL ? 0 : work_floating(hook->work);
    if (floating > hook->floating_most)
        hook->floating_most = floating;
}

static uint64_t gchook_destroyed(const struct gchook *hook)
{
    const struct work *work = hook->work;
    return work == NULL || work->target->destroyed == NULL
               ? 0
               : GCTAX_COUNTED(*work->target->destroyed);
}

/* An entry of the info dict as a count; UINT64_MAX where it is none. */
static uint64_t gchook_count(PyObject *info, PyObject *key)
{
    PyObject *value = PyDict_GetItemWithError(info, key); /* borrowed */
    uint64_t count = value == NULL ? UINT64_MAX : PyLong_AsUnsignedLongLong(value);

    if (PyErr_Occurred())
        PyErr_Clear();
    return count;
}

static void gchook_record_stop(struct gchook *hook, PyObject *info, uint64_t now)
{
    if (hook->count == GCHOOK_CAPACITY) {
        hook->lost++;
        return;
    }
    struct gchook_record *record = &hook->records[hook->count++];
    PyObject *duration = PyDict_GetItemWithError(info, hook->key_duration); /* borrowed */

    record->stop = now;
    record->generation = (uint32_t)gchook_count(info, hook->key_generation);
    record->collected = gchook_count(info, hook->key_collected);
    record->uncollectable = gchook_count(info, hook->key_uncollectable);
    record->candidates = gchook_count(info, hook->key_candidates);
    record->cpython_duration =
        duration != NULL && PyFloat_Check(duration) ? PyFloat_AS_DOUBLE(duration) : NAN;
    record->is_explicit = hook->collector->explicit_now;
    record->destroyed = gchook_destroyed(hook) - hook->destroyed_start;
}

/* callback(phase, info). Phase is "start" or "stop". */
static PyObject *gchook_call(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    struct gchook *hook = PyCapsule_GetPointer(self, NULL);
    uint64_t now = stopwatch_end(hook->stopwatch); /* first: it is the end of a pause */

    if (nargs != 2 || !PyDict_Check(args[1]))
        Py_RETURN_NONE;
    if (hook->in_collection) {
        hook->cpu_sum_ns += gchook_cpu_ns() - hook->cpu_start_ns;
        hook->in_collection = false;
        gchook_record_stop(hook, args[1], now);
        Py_RETURN_NONE;
    }
    hook->in_collection = true;
    gchook_note_floating(hook);
    hook->destroyed_start = gchook_destroyed(hook);
    PyObject *result = Py_NewRef(Py_None);
    struct gchook_record *record =
        &hook->records[hook->count < GCHOOK_CAPACITY ? hook->count : GCHOOK_CAPACITY - 1];
    hook->cpu_start_ns = gchook_cpu_ns();
    if (hook->count < GCHOOK_CAPACITY)
        record->start = stopwatch_begin(hook->stopwatch); /* last: the pause begins */
    return result;
}

int gchook_open(struct gchook *hook, const struct stopwatch *stopwatch,
                const struct collector *collector)
{
    static PyMethodDef method = {"gctax_hook", (PyCFunction)(void (*)(void))gchook_call,
                                 METH_FASTCALL, NULL};
    const struct {
        const char *name;
        PyObject **member;
    } keys[] = {
        {"generation", &hook->key_generation},       {"collected", &hook->key_collected},
        {"uncollectable", &hook->key_uncollectable}, {"candidates", &hook->key_candidates},
        {"duration", &hook->key_duration},
    };

    *hook = (struct gchook){.stopwatch = stopwatch, .collector = collector};
    hook->records = malloc(GCHOOK_CAPACITY * sizeof *hook->records);
    if (hook->records == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memset(hook->records, 0xFF, GCHOOK_CAPACITY * sizeof *hook->records);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if ((*keys[i].member = PyUnicode_InternFromString(keys[i].name)) == NULL)
            goto fail;
    PyObject *self = PyCapsule_New(hook, NULL, NULL);
    if (self == NULL)
        goto fail;
    hook->callback = PyCFunction_New(&method, self);
    Py_DECREF(self);
    if (hook->callback != NULL)
        return 0;
fail:
    gchook_close(hook);
    return -1;
}

int gchook_install(struct gchook *hook, const struct work *work)
{
    hook->work = work;
    hook->count = 0;
    hook->lost = hook->cpu_sum_ns = hook->floating_most = 0;
    hook->in_collection = false;
    return PyList_Append(hook->collector->callbacks, hook->callback);
}

int gchook_remove(struct gchook *hook)
{
    PyObject *result =
        PyObject_CallMethod(hook->collector->callbacks, "remove", "O", hook->callback);

    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

/* Median time of explicit collections of the young generation, which the one before has emptied. */
static int gchook_young_ticks(struct gchook *hook, struct collector *collector, uint64_t *median)
{
    enum { ROUNDS = 51 };
    uint64_t ticks[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t begin = stopwatch_begin(hook->stopwatch);
        if (collector_collect(collector, 0, NULL) < 0)
            return -1;
        ticks[i] = stopwatch_end(hook->stopwatch) - begin;
    }
    *median = gchook_median(ticks, ROUNDS);
    return 0;
}

int gchook_cost_ticks(struct gchook *hook, struct collector *collector, double *ticks)
{
    uint64_t without, with;

    if (gchook_young_ticks(hook, collector, &without) < 0 || gchook_install(hook, NULL) < 0)
        return -1;
    int failed = gchook_young_ticks(hook, collector, &with);
    if (gchook_remove(hook) < 0 || failed < 0)
        return -1;
    *ticks = (double)with - (double)without;
    return 0;
}

void gchook_close(struct gchook *hook)
{
    free(hook->records);
    Py_CLEAR(hook->callback);
    Py_CLEAR(hook->key_generation);
    Py_CLEAR(hook->key_collected);
    Py_CLEAR(hook->key_uncollectable);
    Py_CLEAR(hook->key_candidates);
    Py_CLEAR(hook->key_duration);
    hook->records = NULL;
}
