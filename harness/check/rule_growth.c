#include "pycompat.h"

#include "probe_growth.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_growth);
    if (result == NULL)
        return -1;
    const struct probe_growth *seen = RULE_SEEN(growth, result);
    if (!RULE_KNOWN(seen->rounds))
        return rule_unseen(at, result, "no round was completed");
    const bool blocks = probe_growth_of_blocks(seen);
    if (!blocks && !probe_growth_of_bytes(seen))
        return rule_ok(at);
    rule_done(at,
              "%lld rounds, each of %lld instances that are made, filled with %lld objects, "
              "destroyed, and a collection",
              (long long)seen->rounds, (long long)seen->instances, (long long)seen->puts);
    if (blocks)
        rule_seen(at,
                  "each round leaves %lld memory blocks or more, %lld in all, on a straight line "
                  "(r² 0.%03lld)",
                  (long long)seen->blocks_least, (long long)seen->blocks_growth,
                  (long long)(seen->blocks_fit < 1000 ? seen->blocks_fit : 999));
    else
        rule_seen(at,
                  "each round leaves %lld bytes of malloc() or more, %lld in all, on a straight "
                  "line (r² 0.%03lld); "
                  "the interpreter's own blocks do not grow",
                  (long long)seen->bytes_least, (long long)seen->bytes_growth,
                  (long long)(seen->bytes_fit < 1000 ? seen->bytes_fit : 999));
    rule_expected(at, "no growth: nothing is in a cycle, and tp_traverse has no part in it");
    return rule_breach(at, RULE_COUNTED, NULL);
}

const struct rule rule_growth = {
    .judge = judge,
    .once = true,
    .explained_by =
        "dealloc-releases dealloc-type dealloc-raises traverse-counts traverse-allocates "
        "traverse-raises finalize-keeps-exception matching-free gc-allocator resurrection",
};
