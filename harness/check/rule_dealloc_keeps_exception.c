#include "pycompat.h"

#include "probe_lifetime.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_lifetime);
    if (result == NULL)
        return -1;
    const struct probe_lifetime *seen = RULE_SEEN(lifetime, result);
    if (rule_ended(at, result, "destroying an instance while an exception is in flight"))
        return 0;
    if (seen->survives == 1)
        return rule_untested(at, RULE_SURVIVES);
    if (!RULE_KNOWN(seen->exception_kept))
        return rule_unseen(at, result, "no instance was destroyed");
    if (seen->exception_kept)
        return rule_ok(at);
    rule_done(at, "an instance is destroyed while an exception is in flight");
    rule_seen(at, "the exception is gone, or another one is in its place");
    rule_expected(at, "the same exception");
    return rule_breach(at, RULE_SHOWN, NULL);
}

const struct rule rule_dealloc_keeps_exception = {
    .judge = judge,
    .death = 21,
    .explained_by = "dealloc-raises finalize-keeps-exception",
};
