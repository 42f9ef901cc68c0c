#include "pycompat.h"

#include "probe_finalizer.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_finalizer);
    if (result == NULL)
        return -1;
    const struct probe_finalizer *seen = RULE_SEEN(finalizer, result);
    if (rule_ended(at, result, "calling a finalizer"))
        return 0;
    if (seen->has_finalize == 0)
        return rule_untested(at, "no finalizer");
    if (!RULE_KNOWN(seen->raised) || !RULE_KNOWN(seen->exception_kept))
        return rule_unseen(at, result, "no finalizer was called");
    if (!seen->raised && seen->exception_kept)
        return rule_ok(at);
    if (seen->raised) {
        rule_done(at, "tp_finalize is called while no exception is in flight");
        rule_seen(at, "one is in flight afterwards");
        rule_expected(at, "none");
    } else {
        rule_done(at, "tp_finalize is called while an exception is in flight");
        rule_seen(at, "the exception is gone, or another one is in its place");
        rule_expected(at, "the same exception");
    }
    return rule_breach(at, RULE_SHOWN, NULL);
}

const struct rule rule_finalize_keeps_exception = {.judge = judge, .death = 4};
