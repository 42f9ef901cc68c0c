#include "pycompat.h"

#include "probe_visits.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    if (!RULE_KNOWN(seen->repeatable))
        return rule_unseen(at, result, "no instance was traversed");
    if (seen->repeatable)
        return rule_ok(at);
    rule_done(at, "an instance is traversed twice");
    rule_seen(at, "the second traversal visits others than the %lld objects of the first",
              (long long)seen->visits);
    rule_expected(at, "the same objects, as often");
    return rule_breach(at, RULE_COUNTED, NULL);
}

const struct rule rule_traverse_repeatable = {.judge = judge, .needs_gc = true, .corrupts = true};
