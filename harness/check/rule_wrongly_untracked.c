#include "pycompat.h"

#include "probe_cycle.h"
#include "probe_tracking.h"
#include "rule.h"

static int judge_slot(struct rule_case *at, const struct probe_tracking_slot *seen,
                      const struct probe_cycle *cycle, int slot, const char *name)
{
    const char *when = NULL;
    int64_t left = seen->untracked_left;
    if (seen->with_object == 0) {
        when = "after it was put there";
        left = probe_cycle_partners_stay(&cycle->slot[slot]);
    } else if (seen->with_object_later == 0) {
        when = "after a collection";
        left = probe_cycle_partners_stay(&cycle->slot[slot]);
    } else if (seen->beside_atom == 0) {
        when = "after a str was put into the other slots";
    } else if (seen->after_collection == 0) {
        when = "when it was put there after a collection of the empty instance";
    }
    if (when == NULL)
        return 0;
    rule_done(at, "a GC-capable object is put in .%s, and cycles through it are collected twice",
              name);
    rule_seen(at, "the instance that holds it is not tracked %s; cycles left: %lld", when,
              (long long)(left > 0 ? left : 0));
    rule_expected(at, "a tracked instance");
    if (left > 0)
        rule_breach(at, RULE_SHOWN, name);
    else
        rule_suspect(at, RULE_COUNTED, name);
    return 1;
}

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_tracking);
    const struct probe_result *cycles = result != NULL ? rule_probe(at, &probe_cycle) : NULL;
    if (cycles == NULL)
        return -1;
    const struct probe_tracking *seen = RULE_SEEN(tracking, result);
    int looked = 0;
    for (int slot = 0; slot < result->slot_count; slot++) {
        looked += RULE_KNOWN(seen->slot[slot].with_object_later);
        if (judge_slot(at, &seen->slot[slot], RULE_SEEN(cycle, cycles), slot,
                       result->slot_name[slot]))
            return 0;
    }
    return looked > 0 ? rule_ok(at) : rule_unseen(at, result, "no slot takes an object");
}

const struct rule rule_wrongly_untracked = {
    .judge = judge,
    .needs_gc = true,
    .explained_by = "tracked gc-allocator",
};
