#include "pycompat.h"

#include "probe_finalizer.h"
#include "rule.h"

#include <stddef.h>

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_finalizer);
    if (result == NULL)
        return -1;
    const struct probe_finalizer *seen = RULE_SEEN(finalizer, result);
    if (seen->has_finalize == 0)
        return rule_untested(at, "no finalizer");
    static const struct {
        size_t at;
        int64_t most;
        const char *done;
    } counts[] = {
#define COUNT(member, most, done) {offsetof(struct probe_finalizer, member), most, done}
        COUNT(calls, 1, "an instance dies by its reference count"),
        COUNT(collector_calls, 1, "an instance dies by the collector"),
        COUNT(revived_calls, 1, "an instance dies by its reference count and is revived"),
        COUNT(revived_again_calls, 0,
              "an instance that was finalized and revived dies by its "
              "reference count"),
        COUNT(collector_revived_calls, 1, "an instance dies by the collector and is revived"),
        COUNT(collector_revived_again_calls, 0,
              "an instance that was finalized and revived dies by the collector"),
#undef COUNT
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int64_t calls = *(const int64_t *)(const void *)((const char *)seen + counts[i].at);
        if (calls <= counts[i].most)
            continue;
        rule_done(at, "%s", counts[i].done);
        rule_seen(at, "%lld calls of tp_finalize", (long long)calls);
        rule_expected(at, "%lld", (long long)counts[i].most);
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    if (RULE_KNOWN(seen->revived_again_calls) || RULE_KNOWN(seen->collector_revived_again_calls))
        return rule_ok(at);
    return rule_unseen(at, result, seen->survives == 1 ? RULE_SURVIVES : "no instance was revived");
}

const struct rule rule_finalize_once = {.judge = judge, .needs_gc = true};
