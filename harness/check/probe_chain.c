#include "pycompat.h"

#include "probe_chain.h"
#include "probe_inner.h"
#include "probe_run.h"

enum { SHORTEST = 1000 };
static const double seconds_a_chain = 10;

struct chain {
    struct probe_run *run;
    int slot;
    int64_t length;
};

/* What an instance is put into: 1 with *last replaced, 0 where the slot refused. */
static int add_link(struct probe_run *run, int slot, PyObject **last)
{
    const struct probe_slot *place = &run->slots[slot];
    PyObject *next = NULL;
    if (place->put == NULL) {
        next = probe_make_with(run, slot, *last);
        PyErr_Clear();
    } else if ((next = probe_make(run)) == NULL) {
        return -1;
    } else {
        int put = probe_put(run, slot, next, *last);
        if (put <= 0) {
            probe_drop(next);
            return put;
        }
    }
    if (next == NULL)
        return 0;
    Py_DECREF(*last);
    *last = next;
    return 1;
}

static int destroy_chain(void *context)
{
    struct chain *chain = context;
    PyObject *last = probe_make(chain->run);
    if (last == NULL)
        return -1;
    for (int64_t i = 1; i < chain->length; i++) {
        if (add_link(chain->run, chain->slot, &last) <= 0)
            return -1;
    }
    Py_DECREF(last);
    return 0;
}

/* 1 where the slot takes an instance of the type, 0 where not, -1 with an exception. */
static int takes_instance(struct probe_run *run, int slot)
{
    PyObject *last = probe_make(run);
    int added = last != NULL ? add_link(run, slot, &last) : -1;
    probe_drop(last);
    return added;
}

static int try_length(struct chain *chain, int64_t length, struct probe_chain_slot *seen)
{
    int64_t end;
    probe_step(chain->run, "destroying a chain of %lld instances through slot %s",
               (long long)length, chain->run->slots[chain->slot].name);
    chain->length = length;
    if (probe_inner_run(destroy_chain, chain, seconds_a_chain, &end) < 0)
        return -1;
    if (end == 0) {
        seen->survived = length;
    } else if (end > 0) {
        seen->crashed = length;
        seen->signal = end;
    }
    return end == 0 ? 1 : end > 0 ? 0 : -2;
}

/* Doubles the length until a chain crashes, and halves the last step three times. */
static int measure(struct probe_run *run, int slot, int64_t longest, struct probe_chain_slot *seen)
{
    struct chain chain = {.run = run, .slot = slot};
    int takes = takes_instance(run, slot);
    if (takes <= 0)
        return takes;
    seen->crashed = 0;
    /* Most are well: that takes one try. */
    int tried = try_length(&chain, longest, seen);
    if (tried != 0)
        return tried == -1 ? -1 : 0;
    int64_t length = SHORTEST;
    while (length < longest && (tried = try_length(&chain, length, seen)) == 1)
        length *= 2;
    for (int i = 0; i < 3 && tried >= 0 && seen->survived != PROBE_UNSEEN; i++)
        tried = try_length(&chain, (seen->survived + seen->crashed) / 2, seen);
    return tried == -1 ? -1 : 0;
}

static int body(struct probe_run *run)
{
    struct probe_chain *seen = run->seen;
    PyObject *asked = probe_fact(run, "deep_chain");
    if (asked == NULL)
        return 0;
    int64_t longest = PyLong_AsLongLong(asked);
    if (longest == -1 && PyErr_Occurred())
        return -1;
    seen->longest = longest;
    for (int i = 0; i < run->slot_count; i++) {
        if (measure(run, i, longest, &seen->slot[i]) < 0)
            return -1;
    }
    return 0;
}

static const struct probe_field fields[] = {PROBE_CHAIN(PROBE_FIELD)};
static const struct probe_field slot_fields[] = {PROBE_CHAIN_SLOT(PROBE_FIELD)};

const struct probe probe_chain = {
    .name = "chain",
    .doc = "How long a chain of instances can be destroyed.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .slot_fields = slot_fields,
    .slot_field_count = sizeof slot_fields / sizeof *slot_fields,
    .body = body,
};
