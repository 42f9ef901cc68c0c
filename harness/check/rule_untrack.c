#include "pycompat.h"

#include "probe_reentry.h"
#include "probe_untrack.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_untrack);
    if (result == NULL)
        return -1;
    const struct probe_untrack *seen = RULE_SEEN(untrack, result);
    int looked = 0;
    for (int slot = 0; slot < result->slot_count; slot++) {
        looked += RULE_KNOWN(seen->slot[slot].tracked);
        if (seen->slot[slot].tracked != 1)
            continue;
        rule_done(at,
                  "an instance dies by its reference count; an object that only its .%s holds "
                  "looks at it from its own deallocation",
                  result->slot_name[slot]);
        rule_seen(at, "the instance has no reference left and is still tracked: a collection there "
                      "would traverse it");
        rule_expected(at, "an untracked instance");
        return rule_breach(at, RULE_SHOWN, result->slot_name[slot]);
    }
    if (rule_ended(at, result, "destroying an instance"))
        return 0;
    const struct probe_result *reentry = rule_probe(at, &probe_reentry);
    if (reentry == NULL)
        return -1;
    if (rule_ended(at, reentry, "destroying an instance") ||
        rule_ended(at, reentry, "dropping a cycle"))
        return 0;
    return looked > 0
               ? rule_ok(at)
               : rule_unseen(at, result, "no member dies inside the instance's deallocation");
}

const struct rule rule_untrack = {
    .judge = judge,
    .needs_gc = true,
    .corrupts = true,
    .death = 80,
    .explained_by = "visit-unowned visit-once traverse-null clear-order gc-allocator",
};
