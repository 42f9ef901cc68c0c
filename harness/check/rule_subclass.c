#include "pycompat.h"

#include "probe_clear.h"
#include "probe_cycle.h"
#include "probe_finalizer.h"
#include "probe_lifetime.h"
#include "probe_reentry.h"
#include "probe_visits.h"
#include "probe_weakref.h"
#include "rule.h"

/* Whether the type itself shows what is in the slot of this name. */
static bool type_visits(const struct probe_result *first, const char *name)
{
    int slot = rule_find_slot(first, name);
    if (slot < 0)
        return true; /* the subclass has added it */
    const struct probe_visits_slot *place = &RULE_SEEN(visits, first)->slot[slot];
    return place->owned > 0 && place->visited + place->visited_within >= place->owned;
}

/* 1: a breach is written; 0; -1 with an exception. */
static int judge_slots(struct rule_case *at, const struct probe_result *result)
{
    const struct probe_result *first = rule_probe_type(at, &probe_visits);
    const struct probe_result *cycles = first != NULL ? rule_probe(at, &probe_cycle) : NULL;
    if (cycles == NULL)
        return -1;
    const struct probe_cycle *cycle = RULE_SEEN(cycle, cycles);
    for (int slot = 0; slot < result->slot_count; slot++) {
        const struct probe_visits_slot *place = &RULE_SEEN(visits, result)->slot[slot];
        const char *name = result->slot_name[slot];
        int64_t shown = place->visited + place->visited_within;
        int64_t left = probe_cycle_partners_stay(&cycle->slot[slot]);
        if (place->owned <= 0 || (shown >= place->owned && left == 0) || !type_visits(first, name))
            continue;
        rule_done(at,
                  "a GC-capable object is put in .%s of instances of a Python subclass, and "
                  "cycles through it are dropped and collected twice",
                  name);
        rule_seen(at,
                  "3 instances own %lld references to it; traverse shows %lld; %lld of %lld "
                  "cycles are left",
                  (long long)place->owned, (long long)shown, (long long)left,
                  (long long)cycle->cycles);
        rule_expected(at, "%lld visits, and no cycle left", (long long)place->owned);
        if (left > 0)
            rule_breach(at, RULE_SHOWN, name);
        else
            rule_suspect(at, RULE_COUNTED, name);
        return 1;
    }
    return 0;
}

static int judge(struct rule_case *at)
{
    static const struct probe *const used[] = {&probe_visits, &probe_lifetime,  &probe_cycle,
                                               &probe_clear,  &probe_finalizer, &probe_reentry,
                                               &probe_weakref};
    if (rule_forms(at) < 2)
        return rule_untested(at, "cannot be subclassed");
    if (rule_form(at) == 0)
        return rule_untested(at, "a Python subclass shows it");
    const struct probe_result *result = NULL;
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        result = rule_probe(at, used[i]);
        const struct probe_result *first = result != NULL ? rule_probe_type(at, used[i]) : NULL;
        if (first == NULL)
            return -1;
        if (rule_died(result) && !rule_died(first))
            return rule_death(at, result);
    }
    result = rule_probe(at, &probe_visits);
    int found = result != NULL ? judge_slots(at, result) : -1;
    if (found != 0)
        return found < 0 ? -1 : 0;
    if (!result->type.known)
        return rule_unseen(at, result, "no instance of a subclass was made");
    return rule_ok(at);
}

const struct rule rule_subclass = {
    .judge = judge,
    .death = 90,
    .explained_by = "tracked wrongly-untracked traverse-counts traverse-repeatable traverse-null "
                    "dealloc-releases gc-allocator dealloc-actual-type clear-breaks-cycles "
                    "matching-free visit-unowned visit-once visit-owned",
};
