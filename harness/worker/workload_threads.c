/* threads: retain, shared out. Each of `threads` threads makes its part of n instances, keeps them,
 * and frees them in order. The time of a batch is that from the first thread's first operation to
 * the last one's last; starting and joining threads is outside. Explicit collections of gc_mode
 * manual are the first thread's.
 *
 * On a free-threaded build the threads run at the same time. With a GIL they run one after another,
 * whole: their loops are C, and C code gives the GIL away only where it says so, as extension code
 * does not. Then the row tells what threads cost and not what they gain; its detail says which of
 * the two it is. */
#include "cell.h"
#include "record.h"
#include "work.h"
#include "work_slots.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct threads_part {
    struct work work; /* a copy: the thread's own counters, and its part of the slots */
    uint64_t count;
    pthread_mutex_t *gate;
    pthread_t thread;
    uint64_t begin, end; /* ticks */
    PyObject *exception; /* owned; NULL: none */
};

struct threads {
    struct threads_part *parts;
    pthread_mutex_t gate; /* held while the threads are started */
};

static inline int threads_one(struct work *work, uint64_t index)
{
    PyObject *object = work->target->make(work->target);
    work->slots[index] = object;
    return object == NULL ? -1 : 0;
}

static inline int threads_free_one(struct work *work, uint64_t index)
{
    Py_CLEAR(work->slots[index]);
    return 0;
}

static void *threads_run(void *argument)
{
    struct threads_part *part = argument;
    pthread_mutex_lock(part->gate);
    pthread_mutex_unlock(part->gate);
    PyGILState_STATE state = PyGILState_Ensure();
    part->begin = stopwatch_begin(part->work.stopwatch);
    int failed = work_each(&part->work, part->count, threads_one);
    if (failed == 0)
        failed = work_each(&part->work, part->count, threads_free_one);
    part->end = stopwatch_end(part->work.stopwatch);
    if (failed < 0)
        part->exception = gctax_take_exception();
    PyGILState_Release(state);
    return NULL;
}

static size_t threads_slots(const struct cell *cell)
{
    return cell->n;
}

static int threads_start(struct work *work)
{
    work_slots_begin(work);
    struct threads *threads = calloc(1, sizeof *threads);
    work->state = threads;
    if (threads != NULL)
        threads->parts = calloc(work->cell->threads, sizeof *threads->parts);
    if (threads == NULL || threads->parts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    pthread_mutex_init(&threads->gate, NULL);
    return 0;
}

/* Deals the slots out. */
static void threads_deal(struct work *work, struct threads *threads)
{
    uint64_t count = work->cell->threads, n = work->cell->n;
    for (uint64_t i = 0; i < count; i++) {
        struct threads_part *part = &threads->parts[i];
        uint64_t first = n * i / count;
        *part = (struct threads_part){.work = *work, .gate = &threads->gate};
        part->count = n * (i + 1) / count - first;
        part->work.slots += first;
        part->work.slot_count = part->count;
        if (i > 0)
            part->work.until_collect = part->work.collect_every = UINT64_MAX;
    }
}

/* Starts all threads, lets them go, and waits for them. 0, or the error of pthread_create(). */
static int threads_go(struct threads *threads, uint64_t count)
{
    uint64_t started = 0;
    int error = 0;
    Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&threads->gate);
    for (; started < count && error == 0; started += error == 0)
        error = pthread_create(&threads->parts[started].thread, NULL, threads_run,
                               &threads->parts[started]);
    pthread_mutex_unlock(&threads->gate);
    for (uint64_t i = 0; i < started; i++)
        pthread_join(threads->parts[i].thread, NULL);
    Py_END_ALLOW_THREADS return error;
}

static int threads_batch(struct work *work, struct laps *laps)
{
    struct threads *threads = work->state;
    uint64_t count = work->cell->threads;
    threads_deal(work, threads);
    int error = threads_go(threads, count);
    const struct threads_part *first = &threads->parts[0];
    uint64_t begin = first->begin, end = first->end;
    PyObject *exception = NULL;
    for (uint64_t i = 0; i < count; i++) {
        const struct threads_part *part = &threads->parts[i];
        begin = part->begin < begin ? part->begin : begin;
        end = part->end > end ? part->end : end;
        if (exception == NULL)
            exception = part->exception;
        else
            Py_XDECREF(part->exception);
    }
    if (error != 0) {
        Py_XDECREF(exception);
        PyErr_Format(PyExc_OSError, "cannot start %llu threads: error %d",
                     (unsigned long long)count, error);
        return -1;
    }
    if (exception != NULL) {
        gctax_restore_exception(exception);
        return -1;
    }
    work->until_safepoint = first->work.until_safepoint;
    work->until_collect = first->work.until_collect;
    work->explicit_collections = first->work.explicit_collections;
    work->made += work->cell->n;
    work->freed += work->cell->n;
    laps->op.ticks += end - begin;
    laps->op.ops += work->cell->n;
    return 0;
}

static int threads_verify(struct work *work)
{
    return work_slots_verify(work, 0) < 0 ? -1 : work_slots_verify_alive(work, 0);
}

/* Is there a GIL now? A free-threaded build has one again where a module asks for it. */
static bool threads_have_gil(void)
{
    PyObject *function = PySys_GetObject("_is_gil_enabled"); /* borrowed; from 3.13 on */
    PyObject *result = function == NULL ? NULL : PyObject_CallNoArgs(function);
    bool gil = result == NULL || PyObject_IsTrue(result) != 0;
    Py_XDECREF(result);
    PyErr_Clear();
    return gil;
}

static void threads_report(const struct work *work, struct record *row, double Py_UNUSED(ns))
{
    char detail[96];
    snprintf(detail, sizeof detail, "%llu threads ran, %s", (unsigned long long)work->cell->threads,
             threads_have_gil() ? "one after another: there is a GIL" : "at the same time: no GIL");
    record_set_text(row, CELLS_detail, detail);
}

static void threads_stop(struct work *work)
{
    struct threads *threads = work->state;
    work_slots_clear(work);
    work->state = NULL;
    if (threads == NULL)
        return;
    if (threads->parts != NULL)
        pthread_mutex_destroy(&threads->gate);
    free(threads->parts);
    free(threads);
}

const struct workload workload_threads = {
    .row = &workload_row_threads,
    .slots = threads_slots,
    .start = threads_start,
    .batch = threads_batch,
    .verify = threads_verify,
    .report = threads_report,
    .stop = threads_stop,
};
