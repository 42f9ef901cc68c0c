#include "pycompat.h"

#include "probe_growth.h"
#include "probe_lifetime.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_lifetime);
    if (result == NULL)
        return -1;
    const struct probe_lifetime *seen = RULE_SEEN(lifetime, result);
    if (rule_ended(at, result, "making two instances") ||
        rule_ended(at, result, "destroying two instances") ||
        rule_ended(at, result, "destroying instances by reference count"))
        return 0;
    if (!RULE_KNOWN(seen->planted_left) || !RULE_KNOWN(seen->empty_blocks_growth))
        return rule_unseen(at, result, "no instance was destroyed");
    long long instances = seen->instances;
    rule_done(at,
              "%lld instances with all slots filled are made and destroyed by their reference "
              "count, again and again",
              instances);
    rule_expected(at, "nothing is left");
    if (seen->left > 0) {
        rule_seen(at, "each time %lld of %lld instances are left", (long long)seen->left,
                  instances);
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    if (seen->planted_left > 0) {
        rule_seen(at, "each time %lld of the objects that they held are left",
                  (long long)seen->planted_left);
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    /* What is left only where something was put in may be the slot's leak: rule growth. And less
     * than a block an instance is no leak of the instance's. */
    if (seen->empty_blocks_growth >= instances * 9 / 10) {
        const struct probe_result *longer = rule_probe(at, &probe_growth);
        if (longer == NULL)
            return -1;
        const struct probe_growth *growth = RULE_SEEN(growth, longer);
        if (RULE_KNOWN(growth->rounds) && !probe_growth_of_blocks(growth))
            return rule_ok(at); /* a list that is pruned now and then */
        rule_done(at,
                  "%lld instances are made and destroyed by their reference count, again and again",
                  instances);
        rule_seen(at, "each time %lld blocks of memory are left",
                  (long long)seen->empty_blocks_growth);
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    return rule_ok(at);
}

const struct rule rule_dealloc_releases = {
    .judge = judge,
    .death = 10,
    .explained_by = "track-once gc-allocator matching-free resurrection",
};
