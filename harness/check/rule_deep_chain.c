#include "pycompat.h"

#include "probe_chain.h"
#include "rule.h"

/* A warning however sure: a chain of this length must be built first, and what a stack holds is the
 * process's choice. */
static int judge(struct rule_case *at)
{
    if (rule_fact(at, "deep_chain") == NULL)
        return rule_untested(at, "it takes its time: asked for by naming the rule");
    const struct probe_result *result = rule_probe(at, &probe_chain);
    if (result == NULL)
        return -1;
    const struct probe_chain *seen = RULE_SEEN(chain, result);
    if (!RULE_KNOWN(seen->longest))
        return rule_unseen(at, result, "no chain was made");
    bool tried = false;
    for (int slot = 0; slot < result->slot_count; slot++) {
        const struct probe_chain_slot *place = &seen->slot[slot];
        tried = tried || place->survived > 0 || place->crashed > 0;
        if (place->crashed <= 0)
            continue;
        const char *name = result->slot_name[slot];
        rule_done(at, "chains of instances, each holding the next in .%s, are destroyed", name);
        rule_seen(at, "one of %lld instances dies of signal %lld; one of %lld is well",
                  (long long)place->crashed, (long long)place->signal,
                  (long long)(RULE_KNOWN(place->survived) ? place->survived : 0));
        rule_expected(
            at,
            "a chain of %lld is destroyed: Py_TRASHCAN_BEGIN() and Py_TRASHCAN_END() in tp_dealloc",
            (long long)seen->longest);
        return rule_suspect(at, RULE_SHOWN, name);
    }
    return tried ? rule_ok(at) : rule_unseen(at, result, "no slot takes another instance");
}

const struct rule rule_deep_chain = {.judge = judge, .once = true};
