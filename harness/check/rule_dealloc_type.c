#include "pycompat.h"

#include "probe_lifetime.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_lifetime);
    if (result == NULL)
        return -1;
    const struct probe_lifetime *seen = RULE_SEEN(lifetime, result);
    if (result->type.known && !result->type.heap)
        return rule_untested(at, "not a heap type");
    if (result->end.status == PROBE_CHILD_FINISHED && !RULE_KNOWN(seen->type_growth))
        return rule_untested(at, "this build counts references to a type by thread");
    if (!RULE_KNOWN(seen->type_growth))
        return rule_unseen(at, result, "no instance was destroyed");
    long long instances = seen->instances, growth = seen->type_growth;
    bool collected = false;
    /* What a Python subclass gains as its base loses is another rule's. */
    bool swapped = RULE_KNOWN(seen->base_growth) && seen->base_growth <= -instances / 2;
    if (growth > -instances / 2 && growth < instances / 2 && RULE_KNOWN(seen->cycles_type_growth) &&
        !(seen->cycles_left > 0 || seen->cycles_planted_left > 0)) {
        collected = true;
        growth = seen->cycles_type_growth;
        instances = seen->cycles;
    }
    if ((growth > -instances / 2 && growth < instances / 2) || (rule_form(at) > 0 && swapped))
        return rule_ok(at);
    rule_done(at, "%lld instances are made and destroyed by %s, after as many to warm up",
              instances, collected ? "the collector" : "their reference count");
    rule_seen(at, "the reference count of type %s has changed by %+lld", result->type.name, growth);
    rule_expected(at, "no change");
    return rule_breach(at, RULE_COUNTED, NULL);
}

const struct rule rule_dealloc_type = {
    .judge = judge,
    .corrupts = true,
    .explained_by = "dealloc-releases track-once gc-allocator",
};
