#include "pycompat.h"

#include "probe_clear.h"
#include "probe_methods.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_clear);
    if (result == NULL)
        return -1;
    const struct probe_clear *seen = RULE_SEEN(clear, result);
    if (seen->visits_dropped > 0) {
        rule_done(at, "an instance with all slots filled is cleared and traversed");
        rule_seen(at, "traverse shows %lld references to objects that it has released",
                  (long long)seen->visits_dropped);
        rule_expected(at, "none");
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    if (rule_ended(at, result, "traversing a cleared") ||
        rule_ended(at, result, "destroying a cleared") ||
        (probe_clear_used(result) && rule_ended(at, result, "")))
        return 0;
    if (seen->has_clear == 0)
        return rule_untested(at, "no tp_clear");
    if (rule_form(at) == 0 && !rule_died(result)) {
        const struct probe_result *called = rule_probe(at, &probe_methods);
        if (called == NULL)
            return -1;
        const struct probe_methods *methods = RULE_SEEN(methods, called);
        if (methods->crashed > 0) {
            rule_done(at, "%s", called->step);
            rule_seen(at,
                      "the process dies of signal %lld; %lld of %lld methods do that, and not on "
                      "an instance that was not cleared",
                      (long long)methods->signal, (long long)methods->crashed,
                      (long long)methods->called);
            rule_expected(at, "a result or an exception");
            return rule_suspect(at, RULE_SHOWN, NULL);
        }
    }
    return seen->destroyed == 1 ? rule_ok(at) : rule_unseen(at, result, "no instance was cleared");
}

const struct rule rule_clear_usable = {
    .judge = judge,
    .needs_gc = true,
    .death = 57,
    .explained_by = "clear-twice visit-unowned visit-once",
};
