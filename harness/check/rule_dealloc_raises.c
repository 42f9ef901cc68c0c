#include "pycompat.h"

#include "probe_lifetime.h"
#include "rule.h"

#include <string.h>

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_lifetime);
    if (result == NULL)
        return -1;
    const struct probe_lifetime *seen = RULE_SEEN(lifetime, result);
    /* Debug builds of CPython end the process for it. */
    if (strstr(result->end.output, "Deallocator of type") != NULL &&
        strstr(result->step, "while an exception") == NULL && rule_ended(at, result, "destroying"))
        return 0;
    if (seen->survives == 1)
        return rule_untested(at, RULE_SURVIVES);
    if (!RULE_KNOWN(seen->raised))
        return rule_unseen(at, result, "no instance was destroyed");
    if (!seen->raised)
        return rule_ok(at);
    rule_done(at, "an instance is destroyed while no exception is in flight");
    rule_seen(at, "one is in flight afterwards");
    rule_expected(at, "none");
    return rule_breach(at, RULE_SHOWN, NULL);
}

const struct rule rule_dealloc_raises = {
    .judge = judge,
    .death = 5,
    .explained_by = "finalize-keeps-exception",
};
