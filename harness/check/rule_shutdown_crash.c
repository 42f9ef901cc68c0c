#include "pycompat.h"

#include "probe_shutdown.h"
#include "rule.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void say_end(struct rule_case *at, const struct probe_result *result, int64_t end)
{
    const char *output = result->end.output;
    int length = (int)strcspn(output, "\n");
    rule_seen(at, "the process dies of signal %lld (%s)%s%.*s", (long long)end, strsignal((int)end),
              length > 0 ? ": " : "", length > 200 ? 200 : length, output);
}

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_shutdown);
    if (result == NULL)
        return -1;
    const struct probe_shutdown *seen = RULE_SEEN(shutdown, result);
    const struct {
        int64_t end;
        const char *words;
    } places[] = {
        {seen->in_sys, "an instance that sys holds"},
        {seen->in_module, "an instance that __main__ holds"},
        {seen->in_cycle, "an instance in a cycle"},
        {seen->in_copy, "an instance in a cycle, which a copy of its module holds"},
        {seen->all, "instances in sys, in __main__, in a cycle and in a copy of their module"},
    };
    if (!RULE_KNOWN(seen->all))
        return rule_unseen(at, result, "no interpreter was ended");
    if (seen->all == 0)
        return rule_ok(at);
    if (seen->without != 0)
        return rule_untested(at, "this interpreter does not end well without an instance either");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i].end <= 0)
            continue;
        rule_done(at, "the interpreter ends with %s", places[i].words);
        say_end(at, result, places[i].end);
        rule_expected(at, "it ends well, as without an instance");
        return rule_breach(at, RULE_SHOWN, NULL);
    }
    return rule_untested(at, "the interpreter did not come to its end with instances alive");
}

const struct rule rule_shutdown_crash = {
    .judge = judge,
    .once = true,
    .explained_by = "visit-unowned visit-once traverse-null traverse-counts traverse-allocates "
                    "traverse-repeatable clear-twice clear-order clear-usable untrack dealloc-type "
                    "dealloc-actual-type dealloc-releases gc-allocator matching-free resurrection "
                    "weakrefs track-once track-complete",
};
