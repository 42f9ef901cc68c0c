#include "pycompat.h"

#include "probe_visits.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    if (!RULE_KNOWN(seen->allocations))
        return rule_unseen(at, result, "no instance was traversed");
    if (seen->allocations == 0)
        return rule_ok(at);
    rule_done(at, "an instance is traversed by a visitor that does nothing");
    rule_seen(at, "%lld allocations during one traversal", (long long)seen->allocations);
    rule_expected(at, "no allocation");
    return rule_suspect(at, RULE_COUNTED, NULL); /* what it can do was not seen */
}

const struct rule rule_traverse_allocates = {
    .judge = judge,
    .needs_gc = true,
    .corrupts = true,
    .explained_by = "traverse-raises",
};
