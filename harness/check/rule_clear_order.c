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
        const struct probe_clear_slot *place = &seen->slot[slot];
        const bool cleared = place->seen_while_cleared == 1;
        looked += RULE_KNOWN(place->seen_while_cleared) + RULE_KNOWN(place->seen_while_replaced);
        if (!cleared && place->seen_while_replaced != 1)
            continue;
        rule_done(at,
                  cleared ? "tp_clear releases the last reference to what .%s holds, which "
                            "traverses the instance from its own deallocation"
                          : "another object is put in .%s; what it replaces traverses the "
                            "instance from its own deallocation",
                  result->slot_name[slot]);
        rule_seen(at, "traverse still shows the object, which has no reference left");
        rule_expected(at, cleared ? "an empty field" : "the new object");
        return rule_breach(at, RULE_SHOWN, result->slot_name[slot]);
    }
    if (rule_ended(at, result, "replacing a member") ||
        rule_ended(at, result, "clearing an instance whose member"))
        return 0;
    return looked > 0 ? rule_ok(at) : rule_unseen(at, result, "no member dies as it is replaced");
}

const struct rule rule_clear_order = {
    .judge = judge,
    .needs_gc = true,
    .corrupts = true,
    .death = 55,
    .explained_by = "clear-twice",
};
