#include "pycompat.h"

#include "probe_cycle.h"
#include "probe_visits.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_type *type = rule_first_type(at);
    const struct probe_result *result = type != NULL ? rule_probe(at, &probe_visits) : NULL;
    const struct probe_result *cycles = result != NULL ? rule_probe(at, &probe_cycle) : NULL;
    if (cycles == NULL)
        return -1;
    if (type->known && !type->managed_dict)
        return rule_untested(at, "no managed dict");
    int slot = rule_find_slot(result, "__dict__");
    if (slot < 0)
        return rule_unseen(at, result, "no attribute can be set");
    const struct probe_visits_slot *seen = &RULE_SEEN(visits, result)->slot[slot];
    const struct probe_cycle *cycle = RULE_SEEN(cycle, cycles);
    int64_t shown = seen->visited + seen->visited_within;
    int64_t left = probe_cycle_partners_stay(&cycle->slot[slot]);
    int64_t pairs = probe_cycle_pairs_stay(&cycle->slot[slot]);
    if (!RULE_KNOWN(seen->owned) || !RULE_KNOWN(seen->visited))
        return rule_unseen(at, result, "no attribute was counted");
    if (seen->owned == shown && !(left > 0) && !(pairs > 0))
        return rule_ok(at);
    rule_done(at,
              "a GC-capable object is an attribute of 3 instances, and traverse is asked for "
              "it; %lld cycles of each kind through an attribute are dropped and collected twice",
              (long long)cycle->cycles);
    rule_seen(at,
              "3 instances own %lld references to it in their dict; traverse shows %lld; %lld "
              "cycles are left, and %lld instances in pairs",
              (long long)seen->owned, (long long)shown, (long long)left, (long long)pairs);
    rule_expected(at, "%lld visits, and nothing left", (long long)seen->owned);
    if (left > 0 || pairs > 0)
        return rule_breach(at, RULE_SHOWN, "__dict__");
    return seen->owned < shown ? rule_breach(at, RULE_COUNTED, "__dict__")
                               : rule_suspect(at, RULE_COUNTED, "__dict__");
}

const struct rule rule_managed_dict = {
    .judge = judge,
    .needs_gc = true,
    .explained_by = "tracked wrongly-untracked traverse-counts traverse-repeatable "
                    "dealloc-releases",
};
