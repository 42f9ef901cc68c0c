#include "pycompat.h"

#include "probe_lifetime.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    if (rule_forms(at) < 2)
        return rule_untested(at, "cannot be subclassed");
    if (rule_form(at) == 0)
        return rule_untested(at, "a Python subclass shows it");
    const struct probe_result *result = rule_probe(at, &probe_lifetime);
    if (result == NULL)
        return -1;
    const struct probe_lifetime *seen = RULE_SEEN(lifetime, result);
    if (result->end.status == PROBE_CHILD_FINISHED && !RULE_KNOWN(seen->type_growth))
        return rule_untested(at, "this build counts references to a type by thread");
    if (!RULE_KNOWN(seen->type_growth) || !RULE_KNOWN(seen->instances))
        return rule_unseen(at, result, "no instance was destroyed");
    if (!RULE_KNOWN(seen->base_growth) || seen->base_growth > -seen->instances / 2)
        return rule_ok(at);
    rule_done(at, "%lld instances of a Python subclass are made and destroyed",
              (long long)seen->instances);
    rule_seen(at,
              "the reference count of the subclass has changed by %+lld, that of its base by "
              "%+lld",
              (long long)seen->type_growth, (long long)seen->base_growth);
    rule_expected(at, "no change of either");
    return rule_breach(at, RULE_COUNTED, NULL);
}

const struct rule rule_dealloc_actual_type = {
    .judge = judge,
    .corrupts = true,
    .explained_by = "dealloc-type",
};
