#include "pycompat.h"

#include "probe_cycle.h"
#include "probe_tracking.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_tracking);
    const struct probe_result *cycles = result != NULL ? rule_probe(at, &probe_cycle) : NULL;
    if (cycles == NULL)
        return -1;
    const struct probe_tracking *seen = RULE_SEEN(tracking, result);
    const struct probe_cycle *cycle = RULE_SEEN(cycle, cycles);
    int looked = 0;
    for (int slot = 0; slot < result->slot_count; slot++) {
        const char *name = result->slot_name[slot];
        looked += RULE_KNOWN(seen->slot[slot].with_object);
        /* What was tracked while it was made is untracked by code that meant to. */
        if (seen->slot[slot].with_object != 0 || seen->at_birth != 0 || seen->steps_tracked > 0)
            continue;
        int64_t left = probe_cycle_partners_stay(&cycle->slot[slot]);
        rule_done(at,
                  "an instance is made with a GC-capable object in .%s; %lld cycles through .%s "
                  "are dropped and collected twice",
                  name, (long long)cycle->cycles, name);
        rule_seen(at, "the instance is not tracked; %lld of %lld cycles are left", (long long)left,
                  (long long)cycle->cycles);
        rule_expected(at, "a tracked instance, and no cycle left");
        return left > 0 ? rule_breach(at, RULE_SHOWN, name) : rule_suspect(at, RULE_COUNTED, name);
    }
    return looked > 0 || seen->at_birth == 1 ? rule_ok(at)
                                             : rule_unseen(at, result, "no slot takes an object");
}

const struct rule rule_tracked = {.judge = judge, .needs_gc = true, .explained_by = "gc-allocator"};
