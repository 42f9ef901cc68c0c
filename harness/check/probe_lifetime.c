#include "pycompat.h"

#include "probe_alloc.h"
#include "probe_lifetime.h"
#include "probe_run.h"

#include <string.h>

enum {
    MOST = 40,    /* instances of a round, or where they are slow to make */
    FEWEST = 10,  /* so many */
    AT_ONCE = 16, /* of those that live until the collector comes: they may be large */
    WARM_UP = 2,  /* rounds */
    MORE_ROUNDS = 3
};

/* To make the instances of a round. */
static const double seconds = 0.005;

struct state {
    int64_t alive, planted, blocks, type, base;
};

/* A kind of rounds, of so many instances each. 0, or -1 with an exception. */
typedef int (*round_fn)(struct probe_run *run, int instances);

static int read_state(struct probe_run *run, const struct probe_alloc *alloc, struct state *state)
{
    state->alive = probe_alive(run);
    if (state->alive < 0 && state->alive != PROBE_UNSEEN)
        return -1;
    state->planted = run->planted.alive;
    state->blocks = alloc->live;
    state->type = probe_refcount((PyObject *)run->type);
    state->base = probe_refcount((PyObject *)run->type->tp_base);
    return 0;
}

static int round_by_count(struct probe_run *run, int instances)
{
    for (int i = 0; i < instances; i++) {
        PyObject *self = probe_make_filled(run);
        if (self == NULL)
            return -1;
        probe_drop(self);
    }
    return 0;
}

static int round_of_empty(struct probe_run *run, int instances)
{
    for (int i = 0; i < instances; i++) {
        PyObject *self = probe_make(run);
        if (self == NULL)
            return -1;
        probe_drop(self);
    }
    return 0;
}

/* The slots that can close a cycle one after the other, all in a ring with a planted object. */
static int round_by_collector(struct probe_run *run, int instances)
{
    for (int i = 0; i < instances; i++) {
        PyObject **planted;
        PyObject *self = probe_make_full(run, &planted);
        if (self == NULL)
            return -1;
        for (int j = 0; j < run->slot_count; j++) {
            if (planted[j] != NULL)
                planted_link(planted[j], self);
        }
        probe_release_planted(run, planted);
        probe_drop(self);
    }
    return probe_collect_twice(run);
}

/* One round: what has grown by it in *growth. */
static int measure_round(struct probe_run *run, round_fn one_round, int instances,
                         const struct probe_alloc *alloc, struct state *growth)
{
    struct state before, after;
    if (read_state(run, alloc, &before) < 0 || one_round(run, instances) < 0 ||
        probe_collect_all(run) < 0 || read_state(run, alloc, &after) < 0)
        return -1;
    *growth = (struct state){
        .alive = probe_difference(after.alive, before.alive),
        .planted = after.planted - before.planted,
        .blocks = after.blocks - before.blocks,
        .type = probe_difference(after.type, before.type),
        .base = probe_difference(after.base, before.base),
    };
    return 0;
}

/* What changes the same way each time: 0 where it rises once and falls once. */
static int64_t lesser(int64_t one, int64_t other)
{
    if (one == PROBE_UNSEEN || other == PROBE_UNSEEN)
        return PROBE_UNSEEN;
    if ((one > 0) != (other > 0))
        return 0;
    return (one > 0) == (one < other) ? one : other;
}

static bool is_still(const struct state *growth, int instances)
{
    return !(growth->alive > 0) && growth->planted <= 0 && growth->blocks < instances / 2 &&
           (growth->type == 0 || growth->type == PROBE_UNSEEN) &&
           (growth->base == 0 || growth->base == PROBE_UNSEEN);
}

/* Rounds until warm, one more, and a few more again where that left something: what each of these
 * has added in *growth. */
static int measure(struct probe_run *run, round_fn one_round, int instances,
                   const struct probe_alloc *alloc, struct state *growth)
{
    for (int i = 0; i < WARM_UP; i++) {
        if (one_round(run, instances) < 0)
            return -1;
    }
    if (probe_collect_all(run) < 0 || measure_round(run, one_round, instances, alloc, growth) < 0)
        return -1;
    for (int i = 0; i < MORE_ROUNDS && !is_still(growth, instances); i++) {
        struct state again;
        if (measure_round(run, one_round, instances, alloc, &again) < 0)
            return -1;
        growth->alive = lesser(growth->alive, again.alive);
        growth->planted = lesser(growth->planted, again.planted);
        growth->blocks = lesser(growth->blocks, again.blocks);
        growth->type = lesser(growth->type, again.type);
        growth->base = lesser(growth->base, again.base);
    }
    return 0;
}

static int destroy_beside_exceptions(struct probe_run *run, struct probe_lifetime *seen)
{
    int64_t before = probe_alive(run);
    PyObject *self = before != -1 ? probe_make_filled(run) : NULL;
    if (self == NULL)
        return -1;
    probe_step(run, "destroying an instance");
    Py_DECREF(self);
    seen->raised = probe_exception_drop();
    int64_t after = probe_alive(run);
    if (after == -1)
        return -1;
    if (after != PROBE_UNSEEN && before != PROBE_UNSEEN)
        seen->survives = after > before;
    self = probe_make_filled(run);
    if (self == NULL)
        return -1;
    probe_step(run, "destroying an instance while an exception is in flight");
    probe_exception_raise(run);
    Py_DECREF(self);
    seen->exception_kept = probe_exception_kept(run);
    return 0;
}

static int body(struct probe_run *run)
{
    struct probe_lifetime *seen = run->seen;
    static struct probe_alloc alloc; /* hooks the allocators of this child for good */
    struct state growth;
    if (destroy_beside_exceptions(run, seen) < 0)
        return -1;
    const int instances = probe_affordable(run->make_s, FEWEST, MOST, seconds);
    probe_alloc_open(&alloc);
    probe_step(run, "destroying instances by reference count, %d a round", instances);
    if (measure(run, round_by_count, instances, &alloc, &growth) < 0)
        return -1;
    seen->instances = instances;
    seen->left = growth.alive;
    seen->planted_left = growth.planted;
    seen->blocks_growth = growth.blocks;
    seen->type_growth = growth.type;
    seen->base_growth = growth.base;
    probe_step(run, "destroying empty instances by reference count, %d a round", instances);
    if (measure(run, round_of_empty, instances, &alloc, &growth) < 0)
        return -1;
    seen->empty_blocks_growth = growth.blocks;
    seen->cycles = 0;
    if (run->slot_count == 0)
        return 0;
    const int cycles = instances < AT_ONCE ? instances : AT_ONCE;
    probe_step(run, "destroying instances by the collector, %d a round", cycles);
    if (measure(run, round_by_collector, cycles, &alloc, &growth) < 0)
        return -1;
    seen->cycles = cycles;
    seen->cycles_left = growth.alive;
    seen->cycles_planted_left = growth.planted;
    seen->cycles_blocks_growth = growth.blocks;
    seen->cycles_type_growth = growth.type;
    seen->cycles_base_growth = growth.base;
    return 0;
}

static const struct probe_field fields[] = {PROBE_LIFETIME(PROBE_FIELD)};

const struct probe probe_lifetime = {
    .name = "lifetime",
    .doc = "What is left after instances were made and destroyed, by count and by the collector.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
