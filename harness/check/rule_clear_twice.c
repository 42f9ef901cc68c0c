#include "pycompat.h"

#include "probe_clear.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_clear);
    if (result == NULL)
        return -1;
    const struct probe_clear *seen = RULE_SEEN(clear, result);
    int looked = 0;
    for (int slot = 0; slot < result->slot_count; slot++) {
        const struct probe_clear_slot *drops = &seen->slot[slot];
        if (!RULE_KNOWN(drops->dropped_second))
            continue;
        looked++;
        int64_t dropped = drops->dropped_first + drops->dropped_second;
        if (RULE_KNOWN(drops->dropped_at_death))
            dropped += drops->dropped_at_death;
        if (drops->dropped_second <= 0 && dropped <= drops->held)
            continue;
        rule_done(at, "an instance that holds an object in .%s is cleared twice and destroyed",
                  result->slot_name[slot]);
        rule_seen(at,
                  "it held %lld references; the first call released %lld, the second %lld, the "
                  "destruction %lld",
                  (long long)drops->held, (long long)drops->dropped_first,
                  (long long)drops->dropped_second,
                  (long long)(RULE_KNOWN(drops->dropped_at_death) ? drops->dropped_at_death : 0));
        rule_expected(at, "%lld in all, and none by a second call", (long long)drops->held);
        return rule_breach(at, RULE_COUNTED, result->slot_name[slot]);
    }
    if (rule_ended(at, result, "clearing twice"))
        return 0;
    if (seen->has_clear == 0)
        return rule_untested(at, "no tp_clear");
    return looked > 0 ? rule_ok(at) : rule_unseen(at, result, "no slot takes an object");
}

const struct rule rule_clear_twice = {
    .judge = judge,
    .needs_gc = true,
    .corrupts = true,
    .death = 50,
};
