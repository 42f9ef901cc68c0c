#include "pycompat.h"

#include "visits_breach.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    if (seen->type_owned == 0 && seen->type_visited > 0)
        return visits_breach(at, "their type", seen->instances, 0, seen->type_visited);
    if (seen->module_owned == 0 && seen->module_visited > 0)
        return visits_breach(at, "their type's module, which the type owns", seen->instances, 0,
                             seen->module_visited);
    if (RULE_KNOWN(seen->self_owned) && seen->self_owned == 0 && seen->self_visited > 0) {
        rule_done(at, "an instance that nothing in it refers to is traversed");
        rule_seen(at, "it owns no reference to itself; traverse shows %lld",
                  (long long)seen->self_visited);
        rule_expected(at, "no visit of itself");
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    if (seen->shared_over > seen->shared_twice) {
        rule_done(at, "%lld instances are made, and traverse is asked for what they share",
                  (long long)seen->instances);
        rule_seen(at, "%lld of %lld shared objects are visited, and no instance owns a reference",
                  (long long)(seen->shared_over - seen->shared_twice), (long long)seen->shared);
        rule_expected(at, "no visit");
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    for (int slot = 0; slot < result->slot_count; slot++) {
        if (seen->slot[slot].owned == 0 && seen->slot[slot].visited > 0)
            return visits_breach_in_slot(at, &seen->slot[slot], result->slot_name[slot]);
    }
    return RULE_KNOWN(seen->shared_over) ? rule_ok(at)
                                         : rule_unseen(at, result, "no instance was traversed");
}

const struct rule rule_visit_unowned = {
    .judge = judge,
    .needs_gc = true,
    .corrupts = true,
    .explained_by = "traverse-repeatable",
};
