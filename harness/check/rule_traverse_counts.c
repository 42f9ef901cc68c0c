#include "pycompat.h"

#include "probe_visits.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    if (!RULE_KNOWN(seen->counts_changed))
        return rule_unseen(at, result, "no instance was traversed");
    if (seen->counts_changed == 0)
        return rule_ok(at);
    rule_done(at, "an instance is traversed by a visitor that does nothing");
    rule_seen(at, "the reference counts of %lld objects that it visits have changed",
              (long long)seen->counts_changed);
    rule_expected(at, "the same reference counts as before");
    return rule_breach(at, RULE_COUNTED, NULL);
}

const struct rule rule_traverse_counts = {.judge = judge, .needs_gc = true, .corrupts = true};
