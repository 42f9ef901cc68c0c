#include "pycompat.h"

#include "probe_visits.h"
#include "rule.h"

static int breach(struct rule_case *at, const struct probe_visits *seen, const char *what,
                  int64_t owned, int64_t visited, const char *slot)
{
    rule_done(at, "%lld instances are made, and traverse is asked for what they refer to",
              (long long)seen->instances);
    rule_seen(at, "the instances own %lld references to %s; traverse shows %lld", (long long)owned,
              what, (long long)visited);
    rule_expected(at, "%lld visits", (long long)owned);
    return rule_breach(at, RULE_COUNTED, slot);
}

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    for (int slot = 0; slot < result->slot_count; slot++) {
        const struct probe_visits_slot *place = &seen->slot[slot];
        if (place->owned > 0 && place->visited > place->owned) {
            breach(at, seen, "an object put there", place->owned, place->visited,
                   result->slot_name[slot]);
            rule_done(at, "one object is put in .%s of 3 instances and traverse is asked for it",
                      result->slot_name[slot]);
            return 0;
        }
    }
    if (seen->type_owned > 0 && seen->type_visited > seen->type_owned)
        return breach(at, seen, "their type", seen->type_owned, seen->type_visited, NULL);
    if (seen->module_owned > 0 && seen->module_visited > seen->module_owned)
        return breach(at, seen, "their type's module", seen->module_owned, seen->module_visited,
                      NULL);
    if (seen->self_owned > 0 && seen->self_visited > seen->self_owned)
        return breach(at, seen, "themselves", seen->self_owned, seen->self_visited, NULL);
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
