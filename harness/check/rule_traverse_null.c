#include "pycompat.h"

#include "probe_halfbuilt.h"
#include "probe_visits.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *half = rule_probe(at, &probe_halfbuilt);
    const struct probe_result *result = half != NULL ? rule_probe(at, &probe_visits) : NULL;
    if (result == NULL)
        return -1;
    const struct probe_halfbuilt *seen = RULE_SEEN(halfbuilt, half);
    const struct probe_visits *visits = RULE_SEEN(visits, result);
    if (seen->nulls > 0 || visits->nulls > 0) {
        const bool new = seen->nulls > 0;
        rule_done(at, "traverse is called on %s",
                  new ? "what tp_new alone made" : "an instance with all slots filled");
        rule_seen(at, "the visitor is called with NULL %lld times",
                  (long long)(new ? seen->nulls : visits->nulls));
        rule_expected(at, "no visit of NULL: the collector reads what it is shown");
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    static const char *const steps[] = {"traversing what", "collecting beside what",
                                        "clearing what", "destroying what"};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (rule_ended(at, half, steps[i]))
            return 0;
    }
    if (rule_ended(at, result, "counting the references") ||
        rule_ended(at, result, "traversing an instance"))
        return 0;
    if (seen->made == 0)
        return rule_untested(at, "tp_new makes nothing without arguments");
    if (!RULE_KNOWN(seen->destroyed))
        return rule_unseen(at, half, "no incomplete instance was made");
    return rule_ok(at);
}

const struct rule rule_traverse_null = {
    .judge = judge,
    .needs_gc = true,
    .corrupts = true,
    .death = 30,
    .explained_by = "clear-usable",
};
