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

/* Makes and drops CYCLES in each slot that is not refused. 0, or -1 with an exception. */
static int drop_partner_cycles(struct probe_run *run, struct planted_kit *kits, bool *refused)
{
    for (int slot = 0; slot < run->slot_count; slot++) {
        for (int i = 0; i < CYCLES && !refused[slot]; i++) {
            int made = drop_partner_cycle(run, slot, &kits[slot]);
            if (made < 0)
                return -1;
            refused[slot] = made == 0;
        }
    }
    return 0;
}

/* As many cycles again in the slots of which some were left. */
static int more_partners(struct probe_run *run, struct planted_kit *kits, bool *refused,
                         struct probe_cycle *seen)
{
    bool any = false;
    for (int slot = 0; slot < run->slot_count; slot++) {
        refused[slot] = !(seen->slot[slot].partner_left_later > 0);
        any = any || !refused[slot];
    }
    if (!any)
        return 0;
    if (drop_partner_cycles(run, kits, refused) < 0 || probe_collect_twice(run) < 0)
        return -1;
    for (int slot = 0; slot < run->slot_count; slot++) {
        if (!refused[slot])
            seen->slot[slot].partner_left_more =
                kits[slot].alive - seen->slot[slot].partner_left_later;
    }
    return 0;
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
    for (int slot = 0; slot < run->slot_count; slot++)
        kits[slot].type = run->planted.type;
    if (drop_partner_cycles(run, kits, refused) < 0 || probe_collect(run) < 0)
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
    failed = more_partners(run, kits, refused, seen);
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

/* Like drop_pair(), CYCLES times. */
static int drop_pairs(struct probe_run *run, int slot)
{
    int made = 1;
    for (int i = 0; i < CYCLES && made > 0; i++)
        made = drop_pair(run, slot);
    return made;
}

/* Drops pairs through all slots at once, as most types leave none of them: 1 where one collection
 * left none, 0 where it did; the slots that took them in `linked`. -1 with an exception. */
static int all_pairs(struct probe_run *run, bool *linked)
{
    probe_step(run, "collecting pairs linked through each slot");
    int64_t before = probe_alive(run);
    if (before < 0)
        return before == PROBE_UNSEEN ? 0 : -1;
    for (int i = 0; i < run->slot_count; i++) {
        int made = drop_pairs(run, i);
        if (made < 0)
            return -1;
        linked[i] = made > 0;
    }
    int64_t left = probe_collect(run) < 0 ? -1 : probe_alive(run);
    if (left < 0 || (left != before && probe_collect_all(run) < 0))
        return -1;
    return left == before;
}

static int pairs_of_slot(struct probe_run *run, int slot, struct probe_cycle_slot *seen)
{
    probe_step(run, "collecting pairs linked through slot %s", run->slots[slot].name);
    int64_t before = probe_alive(run);
    if (before < 0)
        return before == PROBE_UNSEEN ? 0 : -1;
    int made = drop_pairs(run, slot);
    if (made <= 0)
        return made;
    int64_t left = probe_collect(run) < 0 ? -1 : probe_alive(run);
    int64_t later = left < 0 || probe_collect(run) < 0 ? -1 : probe_alive(run);
    if (later < 0)
        return -1;
    seen->pair_left = left - before;
    seen->pair_left_later = later - before;
    if (later <= before)
        return 0;
    if ((made = drop_pairs(run, slot)) <= 0)
        return made;
    int64_t more = probe_collect_twice(run) < 0 ? -1 : probe_alive(run);
    if (more < 0)
        return -1;
    seen->pair_left_more = more - later;
    return 0;
}

/* Each slot alone, where that is needed to tell them apart. */
static int pairs(struct probe_run *run, struct probe_cycle *seen)
{
    bool *linked = calloc((size_t)run->slot_count + 1, sizeof *linked);
    if (linked == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int none_left = all_pairs(run, linked);
    int failed = none_left < 0 ? -1 : 0;
    for (int i = 0; i < run->slot_count && !failed; i++) {
        if (none_left == 0)
            failed = pairs_of_slot(run, i, &seen->slot[i]);
        else if (linked[i])
            seen->slot[i].pair_left = seen->slot[i].pair_left_later = 0;
    }
    free(linked);
    return failed;
}

static int body(struct probe_run *run)
{
    struct probe_cycle *seen = run->seen;
    seen->cycles = CYCLES;
    return partners(run, seen) < 0 || pairs(run, seen) < 0 ? -1 : 0;
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
