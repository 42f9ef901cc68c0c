#include "pycompat.h"

#include "probe_visits.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    if (!RULE_KNOWN(seen->raised) || !RULE_KNOWN(seen->exception_kept))
        return rule_unseen(at, result, "no instance was traversed");
    if (!seen->raised && seen->exception_kept)
        return rule_ok(at);
    if (seen->raised) {
        rule_done(at, "an instance is traversed while no exception is in flight");
        rule_seen(at, "one is in flight afterwards");
        rule_expected(at, "none");
    } else {
        rule_done(at, "an instance is traversed while an exception is in flight");
        rule_seen(at, "it is gone afterwards");
        rule_expected(at, "the same exception");
    }
    return rule_breach(at, RULE_SHOWN, NULL);
}

const struct rule rule_traverse_raises = {
    .judge = judge,
    .needs_gc = true,
    .corrupts = true,
    .explained_by = "matching-free gc-allocator",
};
