#include "pycompat.h"

#include "visits_breach.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    for (int slot = 0; slot < result->slot_count; slot++) {
        const struct probe_visits_slot *place = &seen->slot[slot];
        if (place->owned > 0 && place->visited > place->owned)
            return visits_breach_in_slot(at, place, result->slot_name[slot]);
    }
    if (seen->type_owned > 0 && seen->type_visited > seen->type_owned)
        return visits_breach(at, "their type", seen->instances, seen->type_owned,
                             seen->type_visited);
    if (seen->module_owned > 0 && seen->module_visited > seen->module_owned)
        return visits_breach(at, "their type's module", seen->instances, seen->module_owned,
                             seen->module_visited);
    if (seen->self_owned > 0 && seen->self_visited > seen->self_owned)
        return visits_breach(at, "themselves", seen->instances, seen->self_owned,
                             seen->self_visited);
    if (seen->shared_twice > 0 || seen->private_over > 0) {
        const bool shared = seen->shared_twice > 0;
        rule_done(at, "instances are made, and traverse is asked for what they refer to");
        rule_seen(at, "%lld objects that %s are visited more often than there are references",
                  (long long)(shared ? seen->shared_twice : seen->private_over),
                  shared ? "instances share" : "one instance holds");
        rule_expected(at, "a visit for each reference");
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    return RULE_KNOWN(seen->private_over) ? rule_ok(at)
                                          : rule_unseen(at, result, "no instance was traversed");
}

const struct rule rule_visit_once = {
    .judge = judge,
    .needs_gc = true,
    .corrupts = true,
    .explained_by = "traverse-repeatable",
};
