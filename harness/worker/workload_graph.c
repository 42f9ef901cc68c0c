/* graph: `live` instances, each of which holds two others of them, picked at random, itself not
 * excluded. An operation makes one and, where both ends are there, links it; then drop_percent of
 * the references that the workload keeps are let go of, each an operation too. What no path from a
 * kept one leads to is garbage in one large, tangled component: some of it dies at once, of its
 * reference count, and what is in cycles or hangs on them waits for the collector. At 50 % little
 * of it is: two links an instance keep most of the dropped within reach.
 *
 * Between batches, outside the clock, the rest is let go of as well; the next batch collects it.
 * The numbers of the links are kept, in 8 bytes an instance, so that what has to be left alive is
 * known exactly. Needs GC: nobody could break such a graph by hand without doing the collector's
 * work. */
#include "cell.h"
#include "rng.h"
#include "work.h"
#include "work_slots.h"

#include <stdlib.h>

struct graph {
    uint32_t (*links)[2]; /* of each instance, by number */
    uint32_t *queue;      /* of graph_reach() */
    bool *reached;
    uint64_t kept;      /* instances that can be reached from the references that are left */
    uint64_t drop;      /* references that a batch lets go of: the first ones */
    uint64_t held_from; /* the first reference that is still there, of `live` */
};

static const char *graph_refuses(const struct target *target)
{
    return target->collects || target->is_null
               ? NULL
               : "the type has no GC, and a graph is not broken by hand";
}

static inline int graph_one(struct work *work, uint64_t index)
{
    PyObject *object = work->target->make(work->target);
    work->slots[index] = object;
    return object == NULL ? -1 : 0;
}

/* Links instance `index` to two of all. */
static inline int graph_link_one(struct work *work, uint64_t index)
{
    const struct graph *graph = work->state;
    const struct target *target = work->target;
    for (int place = 0; place < 2; place++) {
        uint32_t other = (uint32_t)rng_below(&work->rng, work->cell->live);
        graph->links[index][place] = other;
        if (target->link_at != NULL &&
            target->link_at(target, work->slots[index], place, work->slots[other]) < 0)
            return -1;
    }
    return 0;
}

static inline int graph_drop_one(struct work *work, uint64_t index)
{
    Py_CLEAR(work->slots[index]);
    return 0;
}

/* How many instances the references from number `from` on reach, themselves included. */
static uint64_t graph_reach(struct work *work, uint64_t from)
{
    const struct graph *graph = work->state;
    uint64_t live = work->cell->live, begin = 0, end = 0;
    for (uint64_t i = 0; i < live; i++) {
        graph->reached[i] = i >= from;
        if (i >= from)
            graph->queue[end++] = (uint32_t)i;
    }
    while (begin < end) {
        uint32_t at = graph->queue[begin++];
        for (int place = 0; place < 2; place++) {
            uint32_t to = graph->links[at][place];
            if (graph->reached[to])
                continue;
            graph->reached[to] = true;
            graph->queue[end++] = to;
        }
    }
    return end;
}

static size_t graph_slots(const struct cell *cell)
{
    return cell->live;
}

static int graph_start(struct work *work)
{
    uint64_t live = work->cell->live;
    work_slots_begin(work);
    struct graph *graph = calloc(1, sizeof *graph);
    work->state = graph;
    if (graph != NULL) {
        graph->links = malloc(live * sizeof *graph->links);
        graph->queue = malloc(live * sizeof *graph->queue);
        graph->reached = malloc(live * sizeof *graph->reached);
    }
    if (graph == NULL || graph->links == NULL || graph->queue == NULL || graph->reached == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    graph->drop = live * work->cell->drop_percent / 100;
    graph->held_from = live;
    return 0;
}

static int graph_batch(struct work *work, struct laps *laps)
{
    struct graph *graph = work->state;
    uint64_t live = work->cell->live, dropped;

    if (graph->held_from < live)
        work->dropped += graph->kept;
    work_slots_clear(work);

    uint64_t begin = stopwatch_begin(work->stopwatch);
    int failed = work_each(work, live, graph_one) < 0 ? -1 : work_each(work, live, graph_link_one);
    uint64_t made = stopwatch_end(work->stopwatch) - begin;
    if (failed < 0)
        return -1;
    work->made += live;

    if (work_timed(work, graph->drop, graph_drop_one, &dropped) < 0)
        return -1;
    graph->held_from = graph->drop;
    graph->kept = graph_reach(work, graph->drop);
    work->dropped += live - graph->kept;

    work_lap_both(laps, live, made, graph->drop, dropped);
    return 0;
}

/* After a full collection what can be reached is alive, and nothing else. */
static int graph_verify(struct work *work)
{
    const struct graph *graph = work->state;
    for (uint64_t i = 0; i < work->cell->live; i++)
        if ((work->slots[i] != NULL) != (i >= graph->held_from)) {
            PyErr_Format(PyExc_AssertionError, "slot %llu is %s", (unsigned long long)i,
                         work->slots[i] == NULL ? "empty" : "full");
            return -1;
        }
    if (collector_settle(work->collector) < 0)
        return -1;
    return work_slots_verify_alive(work, graph->kept);
}

static void graph_stop(struct work *work)
{
    struct graph *graph = work->state;
    work_slots_clear(work);
    work->state = NULL;
    if (graph == NULL)
        return;
    free(graph->links);
    free(graph->queue);
    free(graph->reached);
    free(graph);
}

const struct workload workload_graph = {
    .row = &workload_row_graph,
    .refuses = graph_refuses,
    .slots = graph_slots,
    .start = graph_start,
    .batch = graph_batch,
    .verify = graph_verify,
    .stop = graph_stop,
};
