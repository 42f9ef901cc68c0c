#include "pycompat.h"

#include "probe_finalizer.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_finalizer);
    if (result == NULL)
        return -1;
    const struct probe_finalizer *seen = RULE_SEEN(finalizer, result);
    if (rule_ended(at, result, "destroying an instance that has a finalizer") ||
        rule_ended(at, result, "collecting an instance that has a finalizer"))
        return 0;
    if (seen->has_finalize == 0)
        return rule_untested(at, "no finalizer");
    if (seen->survives == 1)
        return rule_untested(at, RULE_SURVIVES);
    if (!RULE_KNOWN(seen->calls))
        return rule_unseen(at, result, "no instance was destroyed");
    if (seen->calls > 0)
        return rule_ok(at);
    rule_done(at, "an instance of a type with a tp_finalize dies by its reference count");
    rule_seen(at, "0 calls of tp_finalize");
    rule_expected(at, "1 call");
    /* It is recommended, and a type may do the same work in its tp_dealloc. A __del__ in Python
     * that is lost is another matter. */
    return rule_form(at) == 0 ? rule_suspect(at, RULE_COUNTED, NULL)
                              : rule_breach(at, RULE_COUNTED, NULL);
}

const struct rule rule_dealloc_finalizes = {.judge = judge, .death = 60};
