#include "pycompat.h"

#include "probe_finalizer.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_finalizer);
    if (result == NULL)
        return -1;
    const struct probe_finalizer *seen = RULE_SEEN(finalizer, result);
    static const char *const steps[] = {
        "destroying an instance that its finalizer revives",
        "destroying an instance that was revived",
        "collecting an instance that its finalizer revives",
        "collecting an instance that was revived",
    };
    bool by_count = seen->revived_whole == 0;
    /* Where the finalizer itself does so, the one that the probe adds is never asked. */
    if (by_count || (seen->collector_revived_whole == 0 && seen->revives_itself != 1)) {
        rule_done(at, "a finalizer brings back an instance that dies by %s",
                  by_count ? "its reference count" : "the collector");
        rule_seen(at,
                  "its members are %s, or its reference is not counted: it was destroyed all "
                  "the same",
                  by_count ? "released" : "cleared");
        rule_expected(at, "a whole instance");
        return rule_breach(at, RULE_SHOWN, NULL);
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (rule_ended(at, result, steps[i]))
            return 0;
    }
    if (seen->has_finalize == 0)
        return rule_untested(at, "no finalizer");
    if (!RULE_KNOWN(seen->revived_whole) && !RULE_KNOWN(seen->collector_revived_whole))
        return rule_unseen(at, result,
                           seen->survives == 1 ? RULE_SURVIVES : "the finalizer was not called");
    return rule_ok(at);
}

const struct rule rule_resurrection = {.judge = judge, .corrupts = true, .death = 62};
