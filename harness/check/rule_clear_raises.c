#include "pycompat.h"

#include "probe_clear.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_clear);
    if (result == NULL)
        return -1;
    const struct probe_clear *seen = RULE_SEEN(clear, result);
    if (rule_ended(at, result, "clearing an instance with all slots filled"))
        return 0;
    if (seen->has_clear == 0)
        return rule_untested(at, "no tp_clear");
    if (!RULE_KNOWN(seen->raised))
        return rule_unseen(at, result, "no instance was cleared");
    if (!seen->raised && !(seen->swallowed > 0))
        return rule_ok(at);
    rule_done(at, "an instance with all slots filled is cleared");
    if (seen->raised)
        rule_seen(at, "an exception is in flight afterwards");
    else
        rule_seen(at, "%lld exceptions went to sys.unraisablehook: %s", (long long)seen->swallowed,
                  result->swallowed);
    rule_expected(at, "no exception");
    return rule_breach(at, RULE_SHOWN, NULL);
}

const struct rule rule_clear_raises = {.judge = judge, .needs_gc = true, .death = 56};
