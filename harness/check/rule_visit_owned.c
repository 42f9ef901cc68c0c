#include "pycompat.h"

#include "probe_cycle.h"
#include "probe_stored.h"
#include "probe_visits.h"
#include "rule.h"

static int judge_missed(struct rule_case *at, const struct probe_result *result, int slot)
{
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    const struct probe_visits_slot *missed = &seen->slot[slot];
    const char *name = result->slot_name[slot];
    const struct probe_result *cycles = rule_probe(at, &probe_cycle);
    if (cycles == NULL)
        return -1;
    const struct probe_cycle *cycle = RULE_SEEN(cycle, cycles);
    int64_t left = probe_cycle_partners_stay(&cycle->slot[slot]);
    int64_t shown = missed->visited + missed->visited_within;
    rule_expected(at, "%lld visits, and no cycle left", (long long)missed->owned);
    if (left > 0) {
        rule_done(at,
                  "a GC-capable object is put in .%s of 3 instances and traverse is asked for it; "
                  "%lld cycles through .%s are dropped and collected twice",
                  name, (long long)cycle->cycles, name);
        rule_seen(at,
                  "3 instances own %lld references to an object put in .%s; traverse shows %lld; "
                  "%lld of %lld cycles through it are left",
                  (long long)missed->owned, name, (long long)shown, (long long)left,
                  (long long)cycle->cycles);
        return rule_breach(at, RULE_SHOWN, name);
    }
    rule_done(at, "a GC-capable object is put in .%s of 3 instances and traverse is asked for it",
              name);
    rule_seen(at,
              "3 instances own %lld references to an object put in .%s; traverse shows %lld; no "
              "cycle through it was seen to stay",
              (long long)missed->owned, name, (long long)shown);
    return rule_suspect(at, RULE_COUNTED, name);
}

/* The module that each instance refers to: a breach where a copy of it stays for an instance. */
static int judge_module(struct rule_case *at, const struct probe_visits *seen)
{
    const struct probe_result *copies = rule_probe_type(at, &probe_stored);
    if (copies == NULL)
        return -1;
    const struct probe_stored *stored = RULE_SEEN(stored, copies);
    const bool left = probe_stored_for_instance(stored);
    rule_done(at, "%lld instances are made, and traverse is asked for their type's module%s",
              (long long)seen->instances,
              left ? "; fresh copies of the module that hold an instance are dropped" : "");
    rule_seen(at,
              "they own %lld references to it; traverse shows %lld; %lld of %lld copies are left",
              (long long)seen->module_owned,
              (long long)seen->module_visited + (long long)seen->module_within,
              (long long)(left ? stored->stored_left : 0),
              (long long)(RULE_KNOWN(stored->copies) ? stored->copies : 0));
    rule_expected(at, "a visit for each reference");
    if (!left)
        return rule_suspect(at, RULE_COUNTED, NULL);
    rule_leads_to(at, "an instance that its module can reach keeps type and module alive: a leak "
                      "for each copy of the module");
    return rule_breach(at, RULE_SHOWN, NULL);
}

static int judge_shared(struct rule_case *at, const struct probe_visits *seen)
{
    rule_done(at, "%lld instances are made, and traverse is asked for what they share",
              (long long)seen->instances);
    rule_seen(at, "%lld of %lld shared objects are visited less often than owned",
              (long long)seen->shared_under, (long long)seen->shared);
    rule_expected(at, "a visit for each reference");
    return rule_suspect(at, RULE_COUNTED, NULL);
}

/* Whether the type itself visits what a Python subclass of it misses: rule subclass reports it. */
static bool of_subclass(struct rule_case *at, const struct probe_result *result, int slot)
{
    const struct probe_result *first = rule_probe_type(at, &probe_visits); /* known: was run */
    int same = first != NULL ? rule_find_slot(first, result->slot_name[slot]) : -1;
    if (rule_form(at) == 0 || first == NULL)
        return false;
    if (same < 0)
        return true;
    const struct probe_visits_slot *place = &RULE_SEEN(visits, first)->slot[same];
    return place->owned > 0 && place->visited + place->visited_within >= place->owned;
}

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    int looked = 0;
    for (int slot = 0; slot < result->slot_count; slot++) {
        const struct probe_visits_slot *place = &seen->slot[slot];
        if (!rule_owns_slot(at, result, slot) || place->owned <= 0)
            continue;
        looked++;
        if (place->visited + place->visited_within >= place->owned || of_subclass(at, result, slot))
            continue;
        if (judge_missed(at, result, slot) < 0)
            return -1;
        return 0;
    }
    if (RULE_KNOWN(seen->module_owned) &&
        seen->module_owned > seen->module_visited + seen->module_within)
        return judge_module(at, seen);
    if (seen->shared_under > 0)
        return judge_shared(at, seen);
    return looked > 0 ? rule_ok(at) : rule_unseen(at, result, "no slot takes an object");
}

const struct rule rule_visit_owned = {
    .judge = judge,
    .needs_gc = true,
    .explained_by = "traverse-repeatable needs-gc",
};
