#include "pycompat.h"

#include "probe_reentry.h"
#include "probe_tracking.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_tracking);
    const struct probe_result *reentry = result != NULL ? rule_probe(at, &probe_reentry) : NULL;
    if (reentry == NULL)
        return -1;
    if (rule_ended(at, result, "collecting in the middle of a construction") ||
        rule_ended(at, reentry, "making an instance"))
        return 0;
    const struct probe_tracking *seen = RULE_SEEN(tracking, result);
    if (!RULE_KNOWN(seen->steps_seen))
        return rule_unseen(at, result, "no construction was watched");
    if (seen->steps_seen == 0)
        return rule_untested(at, "the construction calls neither tp_alloc nor tp_init");
    return rule_ok(at);
}

const struct rule rule_track_complete = {
    .judge = judge,
    .needs_gc = true,
    .death = 29,
    .explained_by = "visit-unowned visit-once",
};
