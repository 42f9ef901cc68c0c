#include "pycompat.h"

#include "probe_stored.h"
#include "probe_visits.h"
#include "rule.h"

#include <stdio.h>

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
    int64_t shown = seen->type_visited + seen->type_within;
    if (shown >= seen->type_owned)
        return rule_ok(at);
    const struct probe_result *copies = rule_probe_type(at, &probe_stored);
    if (copies == NULL)
        return -1;
    const struct probe_stored *stored = RULE_SEEN(stored, copies);
    const bool left = rule_form(at) == 0 && probe_stored_for_instance(stored);
    char copies_left[100] = "";
    if (left)
        snprintf(copies_left, sizeof copies_left,
                 "; %lld of %lld copies of the module that hold an instance are left",
                 (long long)stored->stored_left, (long long)stored->copies);
    rule_done(at, "%lld instances are made, and traverse is asked for their type%s",
              (long long)seen->instances,
              left ? "; fresh copies of the module are dropped and collected twice" : "");
    rule_seen(at, "%lld instances own %lld references to their type %s; traverse shows %lld%s",
              (long long)seen->instances, (long long)seen->type_owned, result->type.name,
              (long long)shown, copies_left);
    rule_expected(at, "%lld visits of the type", (long long)seen->type_owned);
    return rule_breach(at, left ? RULE_SHOWN : RULE_COUNTED, NULL);
}

const struct rule rule_visit_type = {
    .judge = judge,
    .needs_gc = true,
    .explained_by = "traverse-repeatable",
};
