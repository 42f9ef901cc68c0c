#include "pycompat.h"

#include "probe_finalizer.h"
#include "probe_weakref.h"
#include "rule.h"

static int breach(struct rule_case *at, const char *how, const char *seen, const char *expected)
{
    rule_done(at, "an instance with a weak reference to it dies by %s", how);
    rule_seen(at, "%s", seen);
    rule_expected(at, "%s", expected);
    return rule_breach(at, RULE_SHOWN, NULL);
}

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_weakref);
    if (result == NULL)
        return -1;
    const struct probe_weakref *seen = RULE_SEEN(weakref, result);
    const struct probe_result *finalizer = rule_probe(at, &probe_finalizer);
    if (finalizer == NULL)
        return -1;
    if (RULE_SEEN(finalizer, finalizer)->revives_itself == 1)
        return rule_untested(at, "the finalizer brings the instance back: nothing has to end");
    static const char count[] = "its reference count", collector[] = "the collector";
    if (seen->callbacks == 0)
        return breach(at, count, "its callback was not called", "1 call");
    if (seen->dead_in_callback == 0 || seen->dead_after == 0)
        return breach(at, count, "it still leads to the instance", "it leads nowhere");
    /* Where the instance was not collected, another rule says why. */
    if (seen->collector_callbacks > 0 && seen->collector_dead_in_callback == 0)
        return breach(at, collector, "it still leads to the instance", "it leads nowhere");
    if (seen->collector_callbacks == 0 && seen->collector_dead_after == 1)
        return breach(at, collector, "its callback was not called", "1 call");
    if (rule_ended(at, result, "destroying an instance with a weak") ||
        rule_ended(at, result, "collecting an instance with a weak"))
        return 0;
    if (seen->supported == 0)
        return rule_untested(at, "no weak reference can be made");
    if (seen->survives == 1)
        return rule_ok(at); /* as far as it can die: by the collector */
    return RULE_KNOWN(seen->callbacks) ? rule_ok(at)
                                       : rule_unseen(at, result, "no instance was destroyed");
}

const struct rule rule_weakrefs = {
    .judge = judge,
    .corrupts = true,
    .death = 65,
    .explained_by = "traverse-raises dealloc-releases",
};
