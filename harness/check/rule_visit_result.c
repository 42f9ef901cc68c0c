#include "pycompat.h"

#include "probe_visits.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    if (rule_ended(at, result, "traversing with a visitor that stops it"))
        return 0;
    if (!RULE_KNOWN(seen->stops_ignored) || !RULE_KNOWN(seen->stops_altered))
        return rule_unseen(at, result, "no instance was traversed");
    if (seen->visits == 0)
        return rule_untested(at, "traverse visits nothing");
    if (seen->stops_ignored == 0 && seen->stops_altered == 0)
        return rule_ok(at);
    const char *missed =
        seen->referrer_missed == 1
            ? "; gc.get_referrers() of an object that it holds does not name the instance"
            : "";
    rule_done(at, "the visitor returns 7 at each of %lld positions", (long long)seen->visits);
    if (seen->stops_ignored > 0)
        rule_seen(at, "the traversal goes on at %lld of %lld positions%s",
                  (long long)seen->stops_ignored, (long long)seen->visits, missed);
    else
        rule_seen(at, "another value comes back from %lld of %lld positions%s",
                  (long long)seen->stops_altered, (long long)seen->visits, missed);
    rule_expected(at, "the traversal ends at once and returns 7");
    return rule_breach(at, seen->referrer_missed == 1 ? RULE_SHOWN : RULE_COUNTED, NULL);
}

const struct rule rule_visit_result = {
    .judge = judge,
    .needs_gc = true,
    .death = 40,
    .explained_by = "traverse-repeatable",
};
