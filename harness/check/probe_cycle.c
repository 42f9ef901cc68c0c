#include "pycompat.h"

#include "probe_cycle.h"
#include "probe_run.h"

#include <stdlib.h>

enum { CYCLES = 4 };

/* 1: made; 0: the slot refused; -1 with an exception. */
static int drop_partner_cycle(struct probe_run *run, int slot, struct planted_kit *kit)
{
    PyObject *partner = planted_new(kit);
    if (partner == NULL)
        return -1;
    PyObject *self = probe_make_with(run, slot, partner);
    if (self != NULL)
        planted_link(partner, self);
    PyErr_Clear();
    Py_DECREF(partner);
    probe_drop(self);
    return self != NULL;
}

/* All slots at once, because a collection is dear where it walks the whole heap: the planted
 * objects of each slot are counted apart. */
static int partners(struct probe_run *run, struct probe_cycle *seen)
{
    probe_step(run, "collecting cycles through each slot and a partner");
    /* Kept until the child ends: what is not collected refers to its kit. */
    struct planted_kit *kits = calloc((size_t)run->slot_count + 1, sizeof *kits);
    run->partners = kits;
    bool *refused = calloc((size_t)run->slot_count + 1, sizeof *refused);
    int failed = -1;
    if (kits == NULL || refused == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (int slot = 0; slot < run->slot_count; slot++) {
        kits[slot].type = run->planted.type;
        for (int i = 0; i < CYCLES && !refused[slot]; i++) {
            int made = drop_partner_cycle(run, slot, &kits[slot]);
            if (made < 0)
                goto done;
            refused[slot] = made == 0;
        }
    }
    if (probe_collect(run) < 0)
        goto done;
    for (int slot = 0; slot < run->slot_count; slot++) {
        if (!refused[slot])
            seen->slot[slot].partner_left = kits[slot].alive;
    }
    if (probe_collect(run) < 0)
        goto done;
    for (int slot = 0; slot < run->slot_count; slot++) {
        if (!refused[slot])
            seen->slot[slot].partner_left_later = kits[slot].alive;
    }
    failed = 0;
done:
    free(refused);
    return failed;
}

static int drop_pair(struct probe_run *run, int slot)
{
    PyObject *one = probe_make(run);
    PyObject *other = one != NULL ? probe_make(run) : NULL;
    int made = other != NULL ? probe_put(run, slot, one, other) : -1;
    if (made > 0)
        made = probe_put(run, slot, other, one);
    probe_drop(one);
    probe_drop(other);
    return made;
}

static int pairs(struct probe_run *run, int slot, struct probe_cycle_slot *seen)
{
    probe_step(run, "collecting pairs linked through slot %s", run->slots[slot].name);
    int64_t before = probe_alive(run);
    if (before < 0)
        return before == PROBE_UNSEEN ? 0 : -1;
    for (int i = 0; i < CYCLES; i++) {
        int made = drop_pair(run, slot);
        if (made <= 0)
            return made;
    }
    int64_t left = probe_collect(run) < 0 ? -1 : probe_alive(run);
    int64_t later = left < 0 || probe_collect(run) < 0 ? -1 : probe_alive(run);
    if (later < 0)
        return -1;
    seen->pair_left = left - before;
    seen->pair_left_later = later - before;
    return 0;
}

static int body(struct probe_run *run)
{
    struct probe_cycle *seen = run->seen;
    seen->cycles = CYCLES;
    if (partners(run, seen) < 0)
        return -1;
    for (int i = 0; i < run->slot_count; i++) {
        if (pairs(run, i, &seen->slot[i]) < 0)
            return -1;
    }
    return 0;
}

static const struct probe_field fields[] = {PROBE_CYCLE(PROBE_FIELD)};
static const struct probe_field slot_fields[] = {PROBE_CYCLE_SLOT(PROBE_FIELD)};

const struct probe probe_cycle = {
    .name = "cycle",
    .doc = "Cycles through each slot: what one collection leaves of them.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .slot_fields = slot_fields,
    .slot_field_count = sizeof slot_fields / sizeof *slot_fields,
    .body = body,
};
