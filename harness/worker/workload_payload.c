/* payload: small cycles that own large memory. An operation makes a ring of `cycle` instances whose
 * head also holds a bytes object of payload_bytes, writes to each of its pages as one who fills a
 * buffer does, and drops all. To the collector the ring counts as `cycle` objects: it comes after
 * threshold0 of them, whatever they hold, so the memory that waits for it grows with the product
 * of threshold and payload. A target without GC has its rings broken by hand: there is one buffer
 * at a time. The null target allocates and frees the buffer: the floor. */
#include "cell.h"
#include "record.h"
#include "work.h"
#include "work_ring.h"
#include "work_slots.h"

#include <stdlib.h>

/* Pages are no smaller on any platform. */
enum { PAYLOAD_PAGE = 4096 };

struct payload {
    uint64_t most; /* instances alive when a ring was made, itself included */
};

/* A new buffer, all of whose pages were written to. */
static PyObject *payload_buffer(uint64_t size)
{
    PyObject *buffer = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (buffer == NULL)
        return NULL;
    volatile char *bytes = PyBytes_AS_STRING(buffer);
    for (uint64_t at = 0; at < size; at += PAYLOAD_PAGE)
        bytes[at] = 1;
    return buffer;
}

static inline int payload_one(struct work *work, uint64_t Py_UNUSED(index))
{
    struct payload *payload = work->state;
    const struct target *target = work->target;
    uint64_t cycle = work->cell->cycle;
    PyObject *buffer = payload_buffer(work->cell->payload_bytes);
    PyObject *head = buffer == NULL ? NULL : work_ring_make(work, cycle);
    int failed = -1;
    if (head != NULL && target->destroyed != NULL) {
        uint64_t alive = work->made - (GCTAX_COUNTED(*target->destroyed) - work->destroyed_before);
        payload->most = alive > payload->most ? alive : payload->most;
    }
    if (head != NULL &&
        (target->link_at == NULL || target->link_at(target, head, 1, buffer) == 0) &&
        work_ring_give_up(work, head, cycle) == 0)
        failed = 0;
    Py_XDECREF(buffer);
    Py_XDECREF(head);
    return failed;
}

static size_t payload_slots(const struct cell *Py_UNUSED(cell))
{
    return 0;
}

static int payload_start(struct work *work)
{
    work_slots_begin(work);
    work->state = calloc(1, sizeof(struct payload));
    if (work->state == NULL)
        PyErr_NoMemory();
    return work->state == NULL ? -1 : 0;
}

static int payload_batch(struct work *work, struct laps *laps)
{
    return work_batch(work, work->cell->n, payload_one, laps);
}

static int payload_sample(struct work *work, uint64_t count, struct histogram *histogram)
{
    return work_sample(work, count, payload_one, histogram);
}

static int payload_verify(struct work *work)
{
    return collector_settle(work->collector) < 0 ? -1 : work_slots_verify_alive(work, 0);
}

static void payload_report(const struct work *work, struct record *row, double Py_UNUSED(ns))
{
    const struct payload *payload = work->state;
    if (work->target->destroyed == NULL)
        return;
    double rings = (double)payload->most / (double)work->cell->cycle;
    record_set_real(row, CELLS_payload_peak_bytes, rings * (double)work->cell->payload_bytes);
}

static void payload_stop(struct work *work)
{
    free(work->state);
    work->state = NULL;
}

const struct workload workload_payload = {
    .row = &workload_row_payload,
    .slots = payload_slots,
    .start = payload_start,
    .batch = payload_batch,
    .sample = payload_sample,
    .verify = payload_verify,
    .report = payload_report,
    .stop = payload_stop,
};
