#include "pycompat.h"

#include "probe_clear.h"
#include "rule.h"

#include <string.h>

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
    if (rule_died(result) && strstr(result->step, "a cleared instance") != NULL &&
        rule_ended(at, result, ""))
        return 0;
    if (seen->has_clear == 0)
        return rule_untested(at, "no tp_clear");
    return seen->destroyed == 1 ? rule_ok(at) : rule_unseen(at, result, "no instance was cleared");
}

const struct rule rule_clear_usable = {
    .judge = judge,
    .needs_gc = true,
    .death = 57,
    .explained_by = "clear-twice visit-unowned visit-once",
};
