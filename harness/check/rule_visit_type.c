#include "pycompat.h"

#include "probe_visits.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    if (result->type.known && !result->type.heap)
        return rule_untested(at, "not a heap type");
    if (!RULE_KNOWN(seen->type_visited))
        return rule_unseen(at, result, "no instance was traversed");
    if (!RULE_KNOWN(seen->type_owned) && seen->type_visited >= seen->instances)
        return rule_ok(at);
    if (!RULE_KNOWN(seen->type_owned))
        return rule_untested(at, "this build counts references to a type by thread");
    if (seen->type_visited >= seen->type_owned)
        return rule_ok(at);
    rule_done(at, "%lld instances are made, and traverse is asked for their type",
              (long long)seen->instances);
    rule_seen(at, "%lld instances own %lld references to their type %s; traverse shows %lld",
              (long long)seen->instances, (long long)seen->type_owned, result->type.name,
              (long long)seen->type_visited);
    rule_expected(at, "%lld visits of the type", (long long)seen->type_owned);
    return rule_breach(at, RULE_COUNTED, NULL);
}

const struct rule rule_visit_type = {
    .judge = judge,
    .needs_gc = true,
    .explained_by = "traverse-repeatable",
};
